//! Requests as rows of tokens, made at random: good ones here, spoilt ones by [`mutation`](crate::mutation). A token knows what it is
//! for, so that it can be spoilt in a way that means something. Nothing here knows the application but the routes it is given.

use crate::draw::Draw;

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The method.
    Method,
    /// A space of the request line.
    Space,
    /// The target.
    Target,
    /// The version.
    Version,
    /// The end of a line, of the head, of a chunk's data.
    LineEnd,
    /// The name of a field or trailer.
    Name,
    /// What is between name and value.
    Colon,
    /// The value of a field.
    Value(Field),
    /// The size of a chunk.
    Size,
    /// What may stand behind the size.
    Extension,
    /// Bytes of the body.
    Data,
}

/// What a field is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `Host`.
    Host,
    /// `Content-Length`.
    Length,
    /// `Transfer-Encoding`.
    Coding,
    /// `Connection`.
    Connection,
    /// `Expect`.
    Expect,
    /// Any other.
    Other,
}

/// A piece of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is for.
    pub kind: Kind,
    /// What is sent.
    pub bytes: Vec<u8>,
}

/// A request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Its pieces in order.
    pub tokens: Vec<Token>,
}

/// Methods for any target.
const METHODS: [&str; 9] = [
    "GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "QUERY", "BREW",
];

/// Fields that mean nothing to the framing of a message.
const FIELDS: [(&str, &str); 9] = [
    ("Accept", "*/*"),
    ("X-Empty", ""),
    ("Cookie", "a=b; c=d"),
    ("Content-Type", "text/plain"),
    ("Range", "bytes=0-1"),
    ("If-None-Match", "*"),
    ("TE", "trailers"),
    ("Upgrade", "websocket"),
    ("X-Text", "caf\u{e9}, \"quoted\\\"\"\tand so on"),
];

/// Sizes of bodies, about the limits that a test may set.
const SIZES: [usize; 11] = [0, 1, 2, 5, 16, 17, 100, 500, 1000, 1025, 3000];

impl Request {
    /// A request that breaks no rule, though the application may have no such route: `routes` are methods and paths it has. The
    /// request carries `id` as `X-Request-Id`, which shows whose an answer is.
    pub fn good(draw: &mut Draw<'_>, routes: &[(&str, &str)], id: &str) -> Self {
        let mut request = Self::default();
        let (method, path) = *draw.pick(routes);
        let method = if draw.once_in(6) { *draw.pick(&METHODS) } else { method };
        let old = draw.once_in(8);
        request.push(Kind::Method, method);
        request.push(Kind::Space, " ");
        request.push(Kind::Target, target(draw, method, path));
        request.push(Kind::Space, " ");
        request.push(Kind::Version, if old { "HTTP/1.0" } else { "HTTP/1.1" });
        request.push(Kind::LineEnd, "\r\n");

        let body = Body::drawn(draw, matches!(method, "POST" | "PUT" | "PATCH" | "QUERY"), old);
        let mut fields: Vec<(&str, Field, String)> = vec![("X-Request-Id", Field::Other, id.to_owned())];
        if !old || draw.once_in(2) {
            fields.push(("Host", Field::Host, "localhost".to_owned()));
        }
        match &body {
            Body::None => {}
            Body::Sized(data) => fields.push(("Content-Length", Field::Length, data.len().to_string())),
            Body::Chunked(_) => fields.push(("Transfer-Encoding", Field::Coding, "chunked".to_owned())),
        }
        if !matches!(body, Body::None) && draw.once_in(10) {
            fields.push(("Expect", Field::Expect, "100-continue".to_owned()));
        }
        if draw.once_in(6) {
            let option = *draw.pick(&["keep-alive", "close", "x", "keep-alive, x"]);
            fields.push(("Connection", Field::Connection, option.to_owned()));
        }
        for _ in 0..draw.below(4) {
            let (name, value) = *draw.pick(&FIELDS);
            fields.push((name, Field::Other, value.to_owned()));
        }
        while !fields.is_empty() {
            let (name, field, value) = fields.swap_remove(draw.below(fields.len()));
            let name = match draw.below(8) {
                7 => name.to_lowercase(),
                6 => name.to_uppercase(),
                _ => name.to_owned(),
            };
            request.push_field(&name, field, value);
        }
        request.push(Kind::LineEnd, "\r\n");
        match body {
            Body::None => {}
            Body::Sized(data) => request.push(Kind::Data, data),
            Body::Chunked(chunks) => request.push_chunks(draw, chunks),
        }
        request
    }

    /// The bytes to send.
    pub fn bytes(&self) -> Vec<u8> {
        self.tokens.iter().flat_map(|token| &token.bytes).copied().collect()
    }

    fn push(&mut self, kind: Kind, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into();
        self.tokens.push(Token { kind, bytes });
    }

    fn push_field(&mut self, name: &str, field: Field, value: impl Into<Vec<u8>>) {
        self.push(Kind::Name, name);
        self.push(Kind::Colon, ": ");
        self.push(Kind::Value(field), value);
        self.push(Kind::LineEnd, "\r\n");
    }

    fn push_chunks(&mut self, draw: &mut Draw<'_>, chunks: Vec<Vec<u8>>) {
        for chunk in chunks.into_iter().chain([Vec::new()]) {
            let last = chunk.is_empty();
            let size = match draw.below(6) {
                5 => format!("{:X}", chunk.len()),
                4 => format!("{:04x}", chunk.len()),
                _ => format!("{:x}", chunk.len()),
            };
            self.push(Kind::Size, size);
            let extension = *draw.pick(&["", "", "", "", ";a", ";a=b;c", ";a=\"b;\\\"\"", " ; a = b"]);
            self.push(Kind::Extension, extension);
            self.push(Kind::LineEnd, "\r\n");
            if !last {
                self.push(Kind::Data, chunk);
                self.push(Kind::LineEnd, "\r\n");
            }
        }
        if draw.once_in(4) {
            for _ in 0..draw.between(1, 3) {
                self.push_field("X-Trailer", Field::Other, "value");
            }
        }
        self.push(Kind::LineEnd, "\r\n");
    }
}

/// A target that leads to this path, or to `*`.
fn target(draw: &mut Draw<'_>, method: &str, path: &str) -> String {
    if method == "OPTIONS" && draw.once_in(3) {
        return "*".to_owned();
    }
    let mut target = path.to_owned();
    if draw.once_in(8) {
        // The same path, as it would also be written.
        let at = draw.between(1, target.len()).min(target.len() - 1);
        if target.as_bytes()[at].is_ascii_alphanumeric() {
            target.replace_range(at..=at, &format!("%{:02X}", target.as_bytes()[at]));
        }
    }
    if draw.once_in(6) {
        target += *draw.pick(&["?q=a", "?", "?q=a%20b&page=3", "?page=x", "?q=%ff", "?q=a?b/c"]);
    }
    if draw.once_in(12) {
        let authority = *draw.pick(&["http://localhost", "HTTP://other:80", "https://[::1]"]);
        target.insert_str(0, authority);
    }
    target
}

enum Body {
    None,
    Sized(Vec<u8>),
    Chunked(Vec<Vec<u8>>),
}

impl Body {
    fn drawn(draw: &mut Draw<'_>, expected: bool, old: bool) -> Self {
        if expected == draw.once_in(6) {
            return Self::None;
        }
        let data = data(draw);
        if old || draw.once_in(2) {
            return Self::Sized(data);
        }
        let cuts = draw.cuts(data.len(), 4);
        let mut chunks = Vec::new();
        let mut from = 0;
        for to in cuts.into_iter().chain([data.len()]) {
            // An empty chunk would be the last.
            if from < to {
                chunks.push(data[from..to].to_vec());
            }
            from = to;
        }
        Self::Chunked(chunks)
    }
}

/// What a body holds: text that looks like requests, so that it is noticed where it is taken for some.
fn data(draw: &mut Draw<'_>) -> Vec<u8> {
    const SMUGGLED: &[u8] = b"GET /users/666 HTTP/1.1\r\nHost: smuggled\r\n\r\n";
    let size = *draw.pick(&SIZES);
    SMUGGLED.iter().copied().cycle().take(size).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_requests_are_of_every_kind() {
        let mut draw = Draw::seeded(1);
        let all: Vec<String> = (0..500)
            .map(|id| {
                let request = Request::good(&mut draw, &[("GET", "/users/7"), ("POST", "/echo")], &id.to_string());
                String::from_utf8(request.bytes()).expect("these are text")
            })
            .collect();
        for wanted in [
            "GET /users/7 HTTP/1.1\r\n",
            "POST /echo HTTP/1.1\r\n",
            "BREW ",
            "OPTIONS * ",
            "%75sers",
            "?q=",
            "http://localhost/",
            " HTTP/1.0\r\n",
            "\r\nHost: localhost\r\n",
            "\r\nContent-Length: 3000\r\n",
            "\r\nTransfer-Encoding: chunked\r\n",
            "\r\nEXPECT: 100-continue\r\n",
            "\r\n0\r\n\r\n",
            ";a=b;c\r\n",
            "\r\nX-Trailer: value\r\n\r\n",
        ] {
            assert!(all.iter().any(|text| text.contains(wanted)), "{wanted:?}");
        }
    }

    #[test]
    fn a_fuzzer_without_bytes_makes_the_plainest_request() {
        let request = Request::good(&mut Draw::of(&[]), &[("GET", "/")], "7");
        let text = String::from_utf8(request.bytes()).expect("it is text");
        assert_eq!(text, "GET / HTTP/1.1\r\nX-Request-Id: 7\r\nHost: localhost\r\n\r\n");
    }
}
