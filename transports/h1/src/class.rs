//! What each byte may be in an HTTP/1 head: one table, looked up by all scanners.

/// A character of a token, so of a method or a field name (RFC 9110 5.6.2).
pub(crate) const TOKEN: u8 = 1;
/// Allowed in a path: the characters of RFC 3986, and `[` and `]`, which clients send unescaped.
pub(crate) const PATH: u8 = 1 << 1;
/// Allowed in a query: as in a path, and `?`.
pub(crate) const QUERY: u8 = 1 << 2;
/// Allowed in a reg-name, but for `%` (RFC 3986 3.2.2).
pub(crate) const REG_NAME: u8 = 1 << 3;
/// A hexadecimal digit.
pub(crate) const HEX: u8 = 1 << 4;
/// Allowed in a field value (RFC 9110 5.5), white space included.
pub(crate) const VALUE: u8 = 1 << 5;

static CLASSES: [u8; 256] = classes();

/// Whether a byte is of one of the classes in `mask`.
#[inline(always)]
pub(crate) fn is(byte: u8, mask: u8) -> bool {
    CLASSES[byte as usize] & mask != 0
}

/// The first position from `at` on whose byte is not of the class; `bytes.len()` if there is none.
#[inline(always)]
pub(crate) fn span(bytes: &[u8], mut at: usize, mask: u8) -> usize {
    while at < bytes.len() && is(bytes[at], mask) {
        at += 1;
    }
    at
}

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        let mut class = 0;
        if byte.is_ascii_alphanumeric() || among(b"!#$%&'*+-.^_`|~", byte) {
            class |= TOKEN;
        }
        let unreserved = byte.is_ascii_alphanumeric() || among(b"-._~", byte);
        let sub_delim = among(b"!$&'()*+,;=", byte);
        if unreserved || sub_delim {
            class |= REG_NAME;
        }
        if unreserved || sub_delim || among(b"%:@/[]", byte) {
            class |= PATH | QUERY;
        }
        if byte == b'?' {
            class |= QUERY;
        }
        if byte.is_ascii_hexdigit() {
            class |= HEX;
        }
        if pw_core::is_field_byte(byte) {
            class |= VALUE;
        }
        table[i] = class;
        i += 1;
    }
    table
}

const fn among(set: &[u8], byte: u8) -> bool {
    let mut i = 0;
    while i < set.len() {
        if set[i] == byte {
            return true;
        }
        i += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(mask: u8) -> String {
        (0..=255u8).filter(|&b| is(b, mask)).map(char::from).collect()
    }

    #[test]
    fn the_classes_are_those_of_the_rfcs() {
        let alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let with = |more: &str| {
            let mut all: Vec<char> = alphanumeric.chars().chain(more.chars()).collect();
            all.sort_unstable();
            all.into_iter().collect::<String>()
        };
        assert_eq!(members(TOKEN), with("!#$%&'*+-.^_`|~"));
        assert_eq!(members(REG_NAME), with("-._~!$&'()*+,;="));
        assert_eq!(members(PATH), with("-._~!$&'()*+,;=:@%/[]"));
        assert_eq!(members(QUERY), with("-._~!$&'()*+,;=:@%/[]?"));
        assert_eq!(members(HEX), "0123456789ABCDEFabcdef");
        assert_eq!(members(VALUE).chars().count(), 1 + 95 + 128);
    }
}
