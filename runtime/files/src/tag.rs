//! Entity tags (RFC 9110 8.8.3): how lists of them are read, and compared.

/// Whether a field names a representation: `If-Match` and `If-None-Match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    /// Both strong, and equal.
    Strong,
    /// Equal but for the mark of weakness.
    Weak,
}

/// Whether a list of entity tags, or `*`, has `tag`, which is a strong one and quoted. What follows a malformed element is not
/// looked at.
pub(crate) fn list_has(list: &[u8], tag: &[u8], compare: Compare) -> bool {
    if list.trim_ascii() == b"*" {
        return true;
    }
    let mut rest = list;
    loop {
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after;
            continue;
        }
        let Some((found, after)) = first(rest) else {
            return false;
        };
        if found.is(tag, compare) {
            return true;
        }
        rest = after;
    }
}

/// Whether a field is this tag, and nothing else, and strong: `If-Range`.
pub(crate) fn is_tag(field: &[u8], tag: &[u8]) -> bool {
    matches!(first(field.trim_ascii()), Some((found, b"")) if found.is(tag, Compare::Strong))
}

struct Tag<'a> {
    weak: bool,
    quoted: &'a [u8],
}

impl Tag<'_> {
    fn is(&self, tag: &[u8], compare: Compare) -> bool {
        self.quoted == tag && !(self.weak && compare == Compare::Strong)
    }
}

/// The tag at the beginning, and what follows it up to the next comma, which must be white space.
fn first(list: &[u8]) -> Option<(Tag<'_>, &[u8])> {
    let (weak, quoted) = match list.strip_prefix(b"W/") {
        Some(rest) => (true, rest),
        None => (false, list),
    };
    let inner = quoted.strip_prefix(b"\"")?;
    let length = inner.iter().position(|byte| !is_tag_byte(*byte))?;
    if inner[length] != b'"' {
        return None;
    }
    let (quoted, rest) = quoted.split_at(length + 2);
    let rest = rest.trim_ascii_start();
    (rest.is_empty() || rest[0] == b',').then_some((Tag { weak, quoted }, rest))
}

fn is_tag_byte(byte: u8) -> bool {
    byte == 0x21 || (0x23..=0x7e).contains(&byte) || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_tags() {
        let has = |list: &str, compare| list_has(list.as_bytes(), b"\"a,b\"", compare);
        for list in [
            "\"a,b\"",
            "*",
            " * ",
            "\"x\", \"a,b\" , \"y\"",
            "\"x\",\"a,b\"",
            ",, \"a,b\"",
            "\"a,b\", junk",
            "W/\"a,b\",\"a,b\"",
            "\"\",\"a,b\"",
        ] {
            assert!(has(list, Compare::Strong), "{list}");
            assert!(has(list, Compare::Weak), "{list}");
        }
        for list in [
            "",
            ",",
            "a,b",
            "\"a\"",
            "\"a,b",
            "a,b\"",
            "\"x\" \"a,b\"",
            "junk, \"a,b\"",
            "\"a,b\"x",
            "w/\"a,b\"",
            "W/ \"a,b\"",
            "*, \"x\"",
            "\"A,B\"",
            "\"a,b\u{7f}\"",
        ] {
            assert!(!has(list, Compare::Strong), "{list}");
            assert!(!has(list, Compare::Weak), "{list}");
        }
        assert!(has("W/\"a,b\"", Compare::Weak));
        assert!(!has("W/\"a,b\"", Compare::Strong));
    }

    #[test]
    fn one_tag_is_no_list() {
        assert!(is_tag(b"\"a\"", b"\"a\""));
        for field in ["", "*", "W/\"a\"", "\"b\"", "\"a\", \"a\"", "\"a\",", "a"] {
            assert!(!is_tag(field.as_bytes(), b"\"a\""), "{field}");
        }
    }
}
