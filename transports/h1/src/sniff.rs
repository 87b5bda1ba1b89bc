//! Telling HTTP/2 by prior knowledge from HTTP/1 (RFC 9113 3.4) before either parser sees a byte.

/// What a client sends first when it speaks HTTP/2.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// What the first bytes of a connection are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// Not HTTP/2, so for [`HeadParser`](crate::HeadParser) to judge.
    Http1,
    /// The whole preface of HTTP/2.
    Http2Preface,
    /// Still either.
    NeedMore,
}

/// Looks at the first bytes of a connection.
pub fn sniff(input: &[u8]) -> Sniff {
    if input.starts_with(PREFACE) {
        Sniff::Http2Preface
    } else if PREFACE.starts_with(input) {
        Sniff::NeedMore
    } else {
        Sniff::Http1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preface_is_known_once_it_is_whole() {
        for len in 0..PREFACE.len() {
            assert_eq!(sniff(&PREFACE[..len]), Sniff::NeedMore, "{len}");
            let mut other = PREFACE[..len].to_vec();
            other.push(b'Z');
            assert_eq!(sniff(&other), Sniff::Http1, "{len}");
        }
        assert_eq!(sniff(PREFACE), Sniff::Http2Preface);
        assert_eq!(sniff(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0"), Sniff::Http2Preface);
        assert_eq!(sniff(b"POST / HTTP/1.1\r\n"), Sniff::Http1);
    }
}
