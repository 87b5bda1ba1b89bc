//! Percent-decoding of paths and queries (RFC 3986 2.1, and `application/x-www-form-urlencoded` as WHATWG has it).

/// Why a text can't be decoded; reads after "the path holds".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    Escape,
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
pub(crate) fn escape(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16);
    Some((digit(0)? * 16 + digit(1)?) as u8)
}

/// Appends a piece of a path to `out`, decoded. Nothing is appended when it is broken.
pub(crate) fn decode_path(raw: &str, out: &mut String) -> Result<(), Broken> {
    decode(raw, out, false)
}

/// Appends a key or a value of a query to `out`, decoded: `+` is a space, and a `%` that begins no escape stands for
/// itself, as in every browser.
pub(crate) fn decode_form(raw: &str, out: &mut String) -> Result<(), Broken> {
    decode(raw, out, true)
}

fn decode(raw: &str, out: &mut String, form: bool) -> Result<(), Broken> {
    let start = out.len();
    let mut bytes = std::mem::take(out).into_bytes();
    let mut rest = raw.as_bytes();
    let mut broken = None;
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
                None => {
                    broken = Some(Broken::Escape);
                    break;
                }
            },
            byte => *byte,
        };
        bytes.push(byte);
    }
    if broken.is_none() && std::str::from_utf8(&bytes[start..]).is_err() {
        broken = Some(Broken::NotUtf8);
    }
    if broken.is_some() {
        bytes.truncate(start);
    }
    // What stood in `out` was UTF-8 and what was added has just been checked.
    *out = String::from_utf8(bytes).expect("both parts are UTF-8");
    broken.map_or(Ok(()), Err)
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
            let mut out = String::from("x");
            decode_path(raw, &mut out).map(|()| out)
        };
        assert_eq!(decoded("a%20b+%2F%e2%82%ac"), Ok("xa b+/\u{20ac}".into()));
        for bad in ["%", "%4", "%zz", "a%+1", "%u0031"] {
            assert_eq!(decoded(bad), Err(Broken::Escape), "{bad}");
        }
        assert_eq!(decoded("%ff"), Err(Broken::NotUtf8));
    }

    #[test]
    fn forms_take_plus_and_stray_percent() {
        let mut out = String::new();
        decode_form("a+b%2", &mut out).unwrap();
        assert_eq!(out, "a b%2");
        assert!(decode_form("%c3", &mut out).is_err());
        assert_eq!(out, "a b%2", "a broken value leaves nothing behind");
        assert_eq!(
            pairs("a=1&&b&c=d=e&=").collect::<Vec<_>>(),
            [("a", "1"), ("b", ""), ("c", "d=e"), ("", "")]
        );
    }
}
