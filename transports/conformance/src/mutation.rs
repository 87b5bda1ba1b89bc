//! Spoiling a request: at places of its grammar, in the ways that have fooled servers.

use crate::draw::Draw;
use crate::request::{Field, Kind, Request, Token};

impl Request {
    /// Makes one change. The request may still be good after it.
    pub fn mutate(&mut self, draw: &mut Draw<'_>) {
        if self.tokens.is_empty() {
            return;
        }
        let at = self.chosen(draw);
        match draw.below(12) {
            0..=5 => {
                let token = &mut self.tokens[at];
                token.bytes = draw.pick(hostile(token.kind)).to_vec();
            }
            6 => drop(self.tokens.remove(at)),
            7 => self.tokens.insert(at, self.tokens[at].clone()),
            8 => {
                let with = draw.below(self.tokens.len());
                self.tokens.swap(at, with);
            }
            9 => spoil_byte(&mut self.tokens[at].bytes, draw),
            10 => self.insert_fields(draw),
            _ => self.grow(at, draw),
        }
    }

    /// Where to make it: first the kind of token, so that the many fields and chunks are not all that is ever changed.
    fn chosen(&self, draw: &mut Draw<'_>) -> usize {
        let mut kinds: Vec<Kind> = Vec::new();
        for token in &self.tokens {
            if !kinds.contains(&token.kind) {
                kinds.push(token.kind);
            }
        }
        let kind = *draw.pick(&kinds);
        let of_kind = |at: &usize| self.tokens[*at].kind == kind;
        let places: Vec<usize> = (0..self.tokens.len()).filter(of_kind).collect();
        *draw.pick(&places)
    }

    /// Adds a line that says something about the message, or one of many that say nothing.
    fn insert_fields(&mut self, draw: &mut Draw<'_>) {
        let lines: Vec<usize> = (1..self.tokens.len())
            .filter(|at| self.tokens[at - 1].kind == Kind::LineEnd)
            .collect();
        if lines.is_empty() {
            return;
        }
        let at = *draw.pick(&lines);
        let framing: [(&str, Field, &str); 5] = [
            ("Content-Length", Field::Length, "3"),
            ("Transfer-Encoding", Field::Coding, "chunked"),
            ("Host", Field::Host, "second"),
            ("Connection", Field::Connection, "close"),
            ("Expect", Field::Expect, "100-continue"),
        ];
        let (count, (name, field, value)) = if draw.once_in(2) {
            (1, *draw.pick(&framing))
        } else {
            let most = *draw.pick(&[2, 8, 30, 120]);
            (draw.between(1, most), ("X-Another", Field::Other, "field"))
        };
        let line = [
            (Kind::Name, name),
            (Kind::Colon, ": "),
            (Kind::Value(field), value),
            (Kind::LineEnd, "\r\n"),
        ]
        .map(|(kind, text)| Token {
            kind,
            bytes: text.into(),
        });
        let lines = std::iter::repeat_n(line, count).flatten();
        self.tokens.splice(at..at, lines);
    }

    /// Makes a token longer than a limit may allow.
    fn grow(&mut self, at: usize, draw: &mut Draw<'_>) {
        let Token { kind, bytes } = &mut self.tokens[at];
        if *kind == Kind::Extension && bytes.is_empty() {
            bytes.push(b';');
        }
        let with = match (*kind, bytes.last()) {
            (Kind::Space | Kind::Colon | Kind::LineEnd, Some(last)) => *last,
            (Kind::Size, _) => b'0',
            _ => b'x',
        };
        let most = *draw.pick(&[8, 64, 300, 1500, 9000, 17_000]);
        bytes.resize(bytes.len() + draw.between(1, most), with);
    }
}

/// Changes, drops or adds one byte.
fn spoil_byte(bytes: &mut Vec<u8>, draw: &mut Draw<'_>) {
    const SPECIAL: &[u8] = b"\0\r\n\t :;,=\"\\%/?#\x7f\x80\xff0aZ";
    let byte = if draw.once_in(2) {
        draw.byte()
    } else {
        *draw.pick(SPECIAL)
    };
    let at = draw.below(bytes.len() + 1);
    match bytes.get_mut(at) {
        None => bytes.push(byte),
        Some(there) if draw.once_in(3) => *there = byte,
        Some(_) if draw.once_in(2) => drop(bytes.remove(at)),
        Some(_) => bytes.insert(at, byte),
    }
}

/// What may stand in a token's place.
fn hostile(kind: Kind) -> &'static [&'static [u8]] {
    match kind {
        Kind::Method => &[
            b"HEAD", b"CONNECT", b"TRACE", b"PRI", b"get", b"", b"G ET", b"GE\0T", b"G(T", b"\xe9", b"\r\nGET",
            b"\nGET", b" GET",
        ],
        Kind::Space => &[b"", b"  ", b"\t", b" \t", b"\r", b"\x0b"],
        Kind::Target => &[
            b"*",
            b"",
            b"/",
            b"//",
            b"/..",
            b"/%",
            b"/%zz",
            b"/%00",
            b"/%ff",
            b"/#",
            b"/\0",
            b"/\xe9",
            b"/a b",
            b"?",
            b"a",
            b"localhost:80",
            b"http://",
            b"http:///",
            b"http://a b/",
            b"http://user@localhost/",
            b"http://localhost",
            b"ftp://localhost/",
            b"http://localhost:99999/",
            b"/users/+7",
            b"/users/18446744073709551616",
            b"/users/",
            b"/\"<>",
            b"/\\",
        ],
        Kind::Version => &[
            b"HTTP/1.0",
            b"HTTP/1.2",
            b"HTTP/2.0",
            b"HTTP/0.9",
            b"http/1.1",
            b"HTTP/1",
            b"HTTP/1.10",
            b"HTTP/01.1",
            b"",
            b"HTTP/1.1 ",
            b"HTTPS/1.1",
            b"HTTP/1,1",
        ],
        Kind::LineEnd => &[
            b"\n",
            b"\r",
            b"",
            b"\r\r\n",
            b"\n\r",
            b"\r\n ",
            b"\r\n\t",
            b"\0\r\n",
            b"\r\n\r\n",
            b" \r\n",
            b"\r\n\n",
            b"\x0b\r\n",
        ],
        Kind::Name => &[
            b"",
            b"Na me",
            b"X\0",
            b"X ",
            b" X",
            b"\tX",
            b"(x)",
            b"\xe9",
            b"Content-Length",
            b"Transfer-Encoding",
            b"Host",
            b"Connection",
            b"Expect",
            b"Content-Length\x0b",
            b"Transfer_Encoding",
            b"Content-Length ",
        ],
        Kind::Colon => &[
            b":", b"", b" : ", b" :", b":\t", b":   ", b"::", b"=", b":\x0b", b":\r\n ",
        ],
        Kind::Value(field) => hostile_value(field),
        Kind::Size => &[
            b"",
            b"0",
            b"1",
            b"-1",
            b"+5",
            b"0x5",
            b"g",
            b"5 ",
            b" 5",
            b"\t5",
            b"00000000000000005",
            b"0000000000000005",
            b"ffffffffffffffff",
            b"fffffffffffffffff",
            b"7fffffffffffffff",
            b"5_0",
            b"5.",
            b"10000",
        ],
        Kind::Extension => &[
            b"",
            b";",
            b"; ",
            b";=",
            b";a=",
            b";a=\"",
            b";a=\"b",
            b";a=\"\\\"\"",
            b";a=\"\\",
            b";a b",
            b";a=\"\0\"",
            b" ;a",
            b";\"a\"",
            b"; a = b",
            b"\t",
            b" ",
            b";a=b\"c\"",
            b";a=b c",
            b";a\r",
            b";a\n",
            b";\x7f",
            b";a=\"\xe9\"",
        ],
        Kind::Data => &[
            b"",
            b"x",
            b"\r\n",
            b"0\r\n\r\n",
            b"5\r\nhello\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        ],
    }
}

fn hostile_value(field: Field) -> &'static [&'static [u8]] {
    match field {
        Field::Host => &[
            b"",
            b"a b",
            b"a:b",
            b"a,b",
            b"a, a",
            b"user@a",
            b"[::1]",
            b"[zz]",
            b"a:99999",
            b"a:",
            b"\xe9",
            b"a/b",
            b"a\\b",
            b"localhost:80",
            b"LOCALHOST",
            b"http://a",
            b"a\0",
            b"%41",
            b"%4",
        ],
        Field::Length => &[
            b"0",
            b"1",
            b"2",
            b"10",
            b"1000",
            b"5000",
            b"300000",
            b"2000000",
            b"",
            b"-1",
            b"+1",
            b"0x5",
            b"1,1",
            b"1, 2",
            b"01",
            b"00",
            b"1e2",
            b"1.0",
            b"18446744073709551616",
            b"999999999999999999",
            b"9999999999999999999",
            b"5 5",
            b"5;",
            b"\xb2",
            b"5\0",
        ],
        Field::Coding => &[
            b"CHUNKED",
            b"gzip",
            b"gzip, chunked",
            b"chunked, gzip",
            b"chunked, chunked",
            b"identity",
            b"",
            b"xchunked",
            b"chunked;q=1",
            b"\"chunked\"",
            b",chunked",
            b"chunked,",
            b"chun ked",
            b"chunked\x0b",
            b"\xa0chunked",
        ],
        Field::Connection => &[
            b"close",
            b"keep-alive",
            b"close, keep-alive",
            b"keep-alive,close",
            b"Close",
            b"CLOSE",
            b"upgrade",
            b"",
            b"x, close",
            b"close,",
            b",",
            b"\"close\"",
            b"close x",
            b"closed",
            b"content-length",
        ],
        Field::Expect => &[
            b"100-Continue",
            b"200-ok",
            b"",
            b"100-continue, x",
            b"100 continue",
            b"100-continue;q=1",
        ],
        Field::Other => &[
            b"", b"\0", b"\x7f", b"a\rb", b"a\nb", b"\xe9", b"a\x01b", b" ", b"\t", b"a\t b", b"\x1b[0m",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_can_be_spoilt_everywhere() {
        let good = Request::good(&mut Draw::seeded(1), &[("POST", "/echo")], "7");
        let mut changed = vec![0; good.tokens.len()];
        let mut draw = Draw::seeded(2);
        for _ in 0..3000 {
            let mut request = good.clone();
            request.mutate(&mut draw);
            if request.tokens.len() == good.tokens.len() {
                for (at, token) in request.tokens.iter().enumerate() {
                    changed[at] += usize::from(*token != good.tokens[at]);
                }
            }
        }
        assert!(changed.iter().all(|count| *count > 5), "{changed:?}");
    }

    #[test]
    fn any_number_of_changes_can_be_made() {
        let mut draw = Draw::seeded(3);
        for _ in 0..50 {
            let mut request = Request::good(&mut draw, &[("POST", "/echo")], "7");
            for _ in 0..100 {
                request.mutate(&mut draw);
            }
        }
    }
}
