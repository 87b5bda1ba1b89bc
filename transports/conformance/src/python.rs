//! Values written as Python writes them, so that the reports of this runner and of the first one (in Python) can be compared line by line.

use std::fmt::Write;

/// `b'...'`.
pub fn bytes(bytes: &[u8]) -> String {
    let quote = quote(bytes.contains(&b'\''), bytes.contains(&b'"'));
    let mut out = format!("b{quote}");
    for &b in bytes {
        match b {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ if char::from(b) == quote => {
                out.push('\\');
                out.push(quote);
            }
            b' '..=b'~' => out.push(char::from(b)),
            _ => write!(out, "\\x{b:02x}").expect("a string takes all"),
        }
    }
    out.push(quote);
    out
}

/// `'...'`, for text of code points up to 255.
pub fn text(text: &str) -> String {
    let quote = quote(text.contains('\''), text.contains('"'));
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == quote => {
                out.push('\\');
                out.push(c);
            }
            '\0'..='\x1f' | '\x7f'..='\u{a0}' | '\u{ad}' => {
                write!(out, "\\x{:02x}", u32::from(c)).expect("a string takes all");
            }
            _ => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn quote(single: bool, double: bool) -> char {
    if single && !double { '"' } else { '\'' }
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_and_escapes_are_pythons() {
        assert_eq!(super::bytes(b"a\r\n\x00\xff\\"), r"b'a\r\n\x00\xff\\'");
        assert_eq!(super::bytes(b"it's"), "b\"it's\"");
        assert_eq!(super::bytes(b"'\""), "b'\\'\"'");
        assert_eq!(super::text("caf\u{e9}\t\u{80}"), "'caf\u{e9}\\t\\x80'");
    }
}
