//! Which paths name a file beneath a folder at all: pure, before the file system is asked.
//!
//! The kernel keeps what is opened beneath the folder (`folder.rs`); this is the first line, and the one that is the same everywhere.

use pw_core::percent;

/// What a decoded path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name<'a> {
    /// `css/app.css`: a file, or a folder that was written without its slash.
    File(&'a str),
    /// `css/`, here without its slash. `""` is the root.
    Folder(&'a str),
}

/// The longest path that Linux takes, and the longest name in it.
const MAX_PATH: usize = 4095;
const MAX_SEGMENT: usize = 255;

/// Checks a decoded path, which does not begin with a slash. `None`: it names nothing.
///
/// Refused are empty segments, `.` and `..`, control bytes, backslashes (a separator elsewhere), what is too long, and names that
/// begin with a dot, unless `hidden` ones are wanted. `.well-known` at the beginning is not hidden (RFC 8615).
pub(crate) fn check(path: &str, hidden: bool) -> Option<Name<'_>> {
    if path.is_empty() {
        return Some(Name::Folder(""));
    }
    let (names, folder) = match path.strip_suffix('/') {
        Some(names) => (names, true),
        None => (path, false),
    };
    let too_long = path.len() > MAX_PATH;
    if too_long || path.bytes().any(|byte| byte.is_ascii_control() || byte == b'\\') {
        return None;
    }
    for (at, segment) in names.split('/').enumerate() {
        let is_hidden = segment.starts_with('.') && !(at == 0 && segment == ".well-known");
        let is_dots = segment == "." || segment == "..";
        if segment.is_empty() || segment.len() > MAX_SEGMENT || is_dots || (is_hidden && !hidden) {
            return None;
        }
    }
    Some(match folder {
        true => Name::Folder(names),
        false => Name::File(names),
    })
}

/// Whether `path`, which is the decoded end of the raw path `raw`, has a slash that was escaped there. It would make two segments of
/// what is one.
pub(crate) fn has_escaped_slash(raw: &str, path: &str) -> bool {
    let mut raw = raw.as_bytes();
    if !raw.contains(&b'%') {
        return false;
    }
    // From the end on: a `%` begins an escape wherever it stands.
    for byte in path.bytes().rev() {
        let escaped = match raw {
            [.., b'%', high, low] => percent::escape(&[*high, *low]),
            _ => None,
        };
        match (escaped, raw) {
            (Some(b'/'), _) => return true,
            (Some(escaped), _) if escaped == byte => raw = &raw[..raw.len() - 3],
            (None, [before @ .., plain]) if *plain == byte => raw = before,
            // It is another path: the handler's own.
            _ => return false,
        }
    }
    false
}

/// What follows a prefix in a raw path: nothing, or what begins with a slash. As for routes, an escaped unreserved character is the
/// character (RFC 3986 6.2.2.2). `prefix` ends without a slash.
pub(crate) fn below<'a>(raw: &'a str, prefix: &str) -> Option<&'a str> {
    let mut rest = raw;
    for byte in prefix.bytes() {
        let bytes = rest.as_bytes();
        let (found, length) = match bytes {
            [b'%', digits @ ..] => (percent::escape(digits).filter(|byte| is_unreserved(*byte))?, 3),
            [found, ..] => (*found, 1),
            [] => return None,
        };
        if found != byte {
            return None;
        }
        rest = rest.get(length..)?;
    }
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Whether it stands for itself in a path, escaped or not (RFC 3986 2.3).
pub(crate) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for file in ["a", "a/b.txt", "a b", "..a/b..", "...a", "caf\u{e9}", "a:b", "~"] {
            let hidden = file.starts_with('.');
            assert_eq!(check(file, hidden), Some(Name::File(file)), "{file}");
        }
        assert_eq!(check("", false), Some(Name::Folder("")));
        assert_eq!(check("a/b/", false), Some(Name::Folder("a/b")));
        assert_eq!(check(".well-known/x", false), Some(Name::File(".well-known/x")));
        for bad in [
            "/",
            "//",
            "/a",
            "a//b",
            "a//",
            ".",
            "..",
            "./a",
            "a/.",
            "a/..",
            "a/../b",
            "../a",
            "a/./b",
            "a\\b",
            "..\\a",
            "a\0",
            "a\nb",
            "a\rb",
            "a\tb",
            "\u{7f}",
            "/etc/passwd",
        ] {
            assert_eq!(check(bad, true), None, "{bad:?}");
            assert_eq!(check(bad, false), None, "{bad:?}");
        }
        for hidden in [
            ".env",
            "a/.git/config",
            ".a/b",
            "a/.well-known/x",
            "...",
            "..a",
            "..;/a",
            ".. /a",
        ] {
            assert_eq!(check(hidden, false), None, "{hidden:?}");
            assert_eq!(check(hidden, true), Some(Name::File(hidden)), "{hidden:?}");
        }
        assert!(check(&"a".repeat(255), false).is_some());
        assert_eq!(check(&"a".repeat(256), false), None);
        assert_eq!(check(&"a/".repeat(2048), false), None);
    }

    #[test]
    fn escaped_slashes_are_seen() {
        let table = [
            ("/static/a/b", "a/b", false),
            ("/static/a%20/b", "a /b", false),
            ("/static/a%2Fb", "a/b", true),
            ("/static/a%2fb%20", "a/b ", true),
            ("/x%2Fy/a/b", "a/b", false),
            ("/static/%252Fb", "%2Fb", false),
            ("/static/%25%32F", "%2F", false),
            ("/static/%2e%2e%2fsecret", "../secret", true),
            ("/static/%2f", "/", true),
            // Another path than the request's.
            ("/users/a%2Fb", "avatars/7.png", false),
        ];
        for (raw, path, expected) in table {
            assert_eq!(has_escaped_slash(raw, path), expected, "{raw}");
        }
    }

    #[test]
    fn prefixes_end_at_segments() {
        let table = [
            ("/static/a", Some("/a")),
            ("/static", Some("")),
            ("/static/", Some("/")),
            ("/st%61tic/%2e", Some("/%2e")),
            ("/statically", None),
            ("/stati", None),
            ("/", None),
            ("//static/a", None),
            ("/static%2Fa", None),
            ("/STATIC/a", None),
            ("%2Fstatic/a", None),
            ("/st%6", None),
        ];
        for (raw, expected) in table {
            assert_eq!(below(raw, "/static"), expected, "{raw}");
        }
        assert_eq!(below("/a", ""), Some("/a"));
    }
}
