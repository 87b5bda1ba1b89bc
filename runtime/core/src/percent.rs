//! Percent-decoding of paths and queries (RFC 3986 2.1, and `application/x-www-form-urlencoded` as WHATWG has it).
//!
//! For this crate, and for those beside it that read raw paths themselves.

/// Why a text can't be decoded; reads after "the path holds".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A `%` begins no escape.
    Escape,
    /// What was escaped is no text.
    NotUtf8,
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Escape => "a `%` that two hexadecimal digits do not follow",
            Self::NotUtf8 => "a parameter that is not UTF-8 once decoded",
        })
    }
}

/// The value of an escape's two digits.
pub fn escape(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    Some((digit(0)? * 16 + digit(1)?) as u8)
}

/// Appends a piece of a path to `out`, decoded. What is appended is UTF-8, unless it is broken.
///
/// # Errors
/// It is broken.
pub fn decode_path(raw: &[u8], out: &mut Vec<u8>) -> Result<(), Broken> {
    decode(raw, out, false)
}

/// Appends a key or a value of a query to `out`, decoded: `+` is a space, and a `%` that begins no escape stands for
/// itself, as in every browser. What is appended is UTF-8, unless it is broken.
pub(crate) fn decode_form(raw: &[u8], out: &mut Vec<u8>) -> Result<(), Broken> {
    decode(raw, out, true)
}

fn decode(raw: &[u8], out: &mut Vec<u8>, form: bool) -> Result<(), Broken> {
    let start = out.len();
    let mut rest = raw;
    while let [first, tail @ ..] = rest {
        rest = tail;
        let byte = match first {
            b'+' if form => b' ',
            b'%' => match escape(tail) {
                Some(byte) => {
                    rest = &tail[2..];
                    byte
                }
                None if form => b'%',
                None => return Err(Broken::Escape),
            },
            byte => *byte,
        };
        out.push(byte);
    }
    match std::str::from_utf8(&out[start..]) {
        Ok(_) => Ok(()),
        Err(_) => Err(Broken::NotUtf8),
    }
}

/// The raw pairs of a query: split at `&`, then at the first `=`; empty pieces are no pairs.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = (&str, &str)> + Clone {
    query
        .split('&')
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.split_once('=').unwrap_or((piece, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded_or_refused() {
        let decoded = |raw| {
            let mut out = b"x".to_vec();
            decode_path(str::as_bytes(raw), &mut out).map(|()| out)
        };
        assert_eq!(decoded("a%20b+%2F%e2%82%ac"), Ok("xa b+/\u{20ac}".into()));
        for bad in ["%", "%4", "%zz", "a%+1", "%u0031"] {
            assert_eq!(decoded(bad), Err(Broken::Escape), "{bad}");
        }
        assert_eq!(decoded("%ff"), Err(Broken::NotUtf8));
    }

    #[test]
    fn forms_take_plus_and_stray_percent() {
        let mut out = Vec::new();
        decode_form(b"a+b%2", &mut out).unwrap();
        assert_eq!(out, b"a b%2");
        assert_eq!(decode_form(b"%c3", &mut out), Err(Broken::NotUtf8));
        assert_eq!(
            decode_form(b"%a9", &mut out),
            Err(Broken::NotUtf8),
            "each piece by itself"
        );
        assert_eq!(
            pairs("a=1&&b&c=d=e&=").collect::<Vec<_>>(),
            [("a", "1"), ("b", ""), ("c", "d=e"), ("", "")]
        );
    }
}
