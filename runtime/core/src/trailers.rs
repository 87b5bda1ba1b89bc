//! The fields behind a body (RFC 9110 6.5), as both transports tell them. How they are framed is the transports' matter, which have
//! checked each.

use crate::head::Span;

/// The fields that a client sent behind a body: a digest of it, say. See [`Body::trailers`](crate::Body::trailers).
///
/// They stand apart from the head, and nothing merges them into it. A field that a message is framed, routed, authenticated,
/// conditioned or decoded by is not among them, as that was decided before it came ([`may_trail`]).
///
/// Fields come in the order they were sent in, those of one name together at the first. They are as little to be trusted as the head.
#[derive(Debug, Default)]
pub struct Trailers {
    /// Lines as they came, each with its CR LF; then names in lower case.
    lines: Vec<u8>,
    /// Of each field the name and the value, once all lines have come.
    fields: Vec<(Span, Span)>,
}

static NONE: Trailers = Trailers::new();

impl Trailers {
    /// No fields.
    pub const fn new() -> Self {
        Self {
            lines: Vec::new(),
            fields: Vec::new(),
        }
    }

    /// No fields, for a body that has not ended.
    pub const fn none() -> &'static Self {
        &NONE
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// The first value of a field. `name` is in lower case.
    ///
    /// # Panics
    /// In debug builds, if `name` holds a capital: it would never be found.
    pub fn field(&self, name: &str) -> Option<&[u8]> {
        debug_assert!(
            !name.bytes().any(|byte| byte.is_ascii_uppercase()),
            "field names are looked up in lower case"
        );
        self.fields()
            .find(|(found, _)| *found == name.as_bytes())
            .map(|(_, value)| value)
    }

    /// All fields, names in lower case.
    pub fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields
            .iter()
            .map(|&(name, value)| (&self.lines[name.range()], &self.lines[value.range()]))
    }
}

/// Filling, for transports.
impl Trailers {
    /// Adds a piece of the lines, which the caller has found well-formed: `name: value` and CR LF. No field shows before
    /// [`complete`](Self::complete).
    pub fn append(&mut self, piece: &[u8]) {
        self.lines.extend_from_slice(piece);
    }

    /// All lines have come.
    pub fn complete(&mut self) {
        let mut start = 0;
        while let Some(length) = memchr::memchr(b'\n', &self.lines[start..]) {
            let line = &mut self.lines[start..start + length];
            if let Some(colon) = memchr::memchr(b':', line) {
                line[..colon].make_ascii_lowercase();
                let (name, value) = (&line[..colon], &line[colon + 1..]);
                if may_trail(name) {
                    let blank = value.len() - value.trim_ascii_start().len();
                    let (name, at) = (Span::new(start, start + colon), start + colon + 1 + blank);
                    let value = Span::new(at, at + value.trim_ascii().len());
                    self.push(name, value);
                }
            }
            start += length + 1;
        }
    }

    fn push(&mut self, name: Span, value: Span) {
        let bytes = |span: Span| &self.lines[span.range()];
        let same = self.fields.iter().rposition(|&(other, _)| bytes(other) == bytes(name));
        let at = same.map_or(self.fields.len(), |last| last + 1);
        self.fields.insert(at, (name, value));
    }
}

/// Whether a field may stand behind a body, its name in lower case (RFC 9110 6.5.1). Not those that frame a message, route it,
/// authenticate its sender, are conditions on it, control what is done with it, or say what its content is: all that has to be known
/// before the content.
pub fn may_trail(name: &[u8]) -> bool {
    !NEVER.contains(&name)
}

const NEVER: [&[u8]; 36] = [
    b"age",
    b"authorization",
    b"cache-control",
    b"connection",
    b"content-encoding",
    b"content-length",
    b"content-range",
    b"content-type",
    b"cookie",
    b"date",
    b"expect",
    b"expires",
    b"forwarded",
    b"host",
    b"if-match",
    b"if-modified-since",
    b"if-none-match",
    b"if-range",
    b"if-unmodified-since",
    b"keep-alive",
    b"location",
    b"max-forwards",
    b"pragma",
    b"proxy-authenticate",
    b"proxy-authorization",
    b"proxy-connection",
    b"range",
    b"retry-after",
    b"set-cookie",
    b"te",
    b"trailer",
    b"transfer-encoding",
    b"upgrade",
    b"vary",
    b"warning",
    b"www-authenticate",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pieces: &[&[u8]]) -> Trailers {
        let mut trailers = Trailers::new();
        pieces.iter().for_each(|piece| trailers.append(piece));
        assert!(trailers.is_empty(), "they show at their end");
        trailers.complete();
        trailers
    }

    fn told(trailers: &Trailers) -> Vec<(String, String)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it is text");
        trailers
            .fields()
            .map(|(name, value)| (text(name), text(value)))
            .collect()
    }

    #[test]
    fn fields_are_told_in_order_and_those_of_a_name_together() {
        let lines = b"B: 1\r\nx-A:  two words \t\r\nb:3\r\nempty:\r\nblank: \t \r\nC: a:b\r\n";
        let expected = [
            ("b", "1"),
            ("b", "3"),
            ("x-a", "two words"),
            ("empty", ""),
            ("blank", ""),
            ("c", "a:b"),
        ];
        for at in 0..lines.len() {
            let trailers = of(&[&lines[..at], &lines[at..]]);
            let told = told(&trailers);
            let told: Vec<(&str, &str)> = told.iter().map(|(name, value)| (&**name, &**value)).collect();
            assert_eq!(told, expected);
            assert_eq!(trailers.field("b"), Some(&b"1"[..]));
            assert_eq!(trailers.field("a"), None);
        }
    }

    #[test]
    fn what_must_be_known_before_the_content_is_not_told() {
        for name in NEVER {
            let trailers = of(&[name.to_ascii_uppercase().as_slice(), b": 1\r\n", b"etag: \"a\"\r\n"]);
            assert_eq!(told(&trailers), [("etag".to_owned(), "\"a\"".to_owned())]);
        }
        assert!(Trailers::none().is_empty() && Trailers::none().field("etag").is_none());
    }
}
