//! One segment of a pattern: a literal in normal form, a parameter, a wildcard, or one of the ways to get them wrong.

use std::fmt;

/// What stands between two slashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Segment {
    /// This text, in normal form: no unreserved character is percent-encoded, hexadecimal digits are capitals
    /// (RFC 3986 6.2.2). Empty only at the end of a pattern: that of `/`, and of any with a trailing slash.
    Literal(String),
    /// `{name}`: one segment of any text but none.
    Param(String),
    /// `{*name}`: all that remains, but not nothing. Always last.
    Rest(String),
}

impl Segment {
    /// Reads what stands between two slashes.
    pub(crate) fn check(text: &str, at: &mut Report<'_>) -> Option<Self> {
        if text.contains(['{', '}']) {
            return braces(text, at);
        }
        if let Some((style, ours)) = foreign(text) {
            at(
                format_args!("must write the parameters of its pattern in braces: `{text}` is {style}"),
                format_args!("write `{ours}`"),
            );
            return None;
        }
        literal(text, at).map(Self::Literal)
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(text) => f.write_str(text),
            Self::Param(name) => write!(f, "{{{name}}}"),
            Self::Rest(name) => write!(f, "{{*{name}}}"),
        }
    }
}

/// Takes what is wrong and how to mend it.
pub(crate) type Report<'r> = dyn FnMut(fmt::Arguments<'_>, fmt::Arguments<'_>) + 'r;

/// A segment with a brace in it: a parameter or a mistake.
fn braces(text: &str, at: &mut Report<'_>) -> Option<Segment> {
    let inner = text
        .strip_prefix('{')
        .and_then(|t| t.strip_suffix('}'))
        .filter(|t| !t.contains(['{', '}']));
    let Some(inner) = inner else {
        unbalanced(text, at);
        return None;
    };
    let (rest, name) = match inner.strip_prefix('*') {
        Some(name) => (true, name),
        None => (false, inner),
    };
    if is_name(name) {
        let name = name.to_owned();
        return Some(if rest {
            Segment::Rest(name)
        } else {
            Segment::Param(name)
        });
    }
    let bare = first_name(inner);
    if name.is_empty() {
        let (kind, example) = if rest {
            ("wildcard", "{*rest}")
        } else {
            ("parameter", "{id}")
        };
        at(
            format_args!("must name the {kind} `{text}` of its pattern"),
            format_args!("write `{example}`"),
        );
    } else if inner.ends_with("...") || inner.starts_with("..") || inner.starts_with("**") || inner.ends_with('*') {
        at(
            format_args!("must write a wildcard with one `*` before its name: `{text}` in its pattern is none of ours"),
            format_args!("write `{{*{}}}`", bare.unwrap_or("rest")),
        );
    } else if let (Some(name), Some(_)) = (bare, inner.find([':', '='])) {
        at(
            format_args!("must have nothing but a name in the parameter `{text}` of its pattern"),
            format_args!("write `{{{name}}}`: what it must be is said by its type, `Path({name}): Path<u64>`"),
        );
    } else {
        at(
            format_args!("must have a name in the parameter `{text}` of its pattern: `{name}` is none"),
            format_args!("a name is letters, digits and `_`, and begins with no digit: `{{id}}`"),
        );
    }
    None
}

/// Braces that are not those of one whole segment.
fn unbalanced(text: &str, at: &mut Report<'_>) {
    let (open, close) = (text.matches('{').count(), text.matches('}').count());
    let name = first_name(
        text.trim_start_matches(|c: char| c != '{')
            .trim_start_matches(['{', '*']),
    )
    .or_else(|| first_name(text))
    .unwrap_or("id");
    if open != close {
        let missing = if open > close { "`}`" } else { "`{`" };
        at(
            format_args!("must close each brace of its pattern: `{text}` lacks a {missing}"),
            format_args!("write `{{{name}}}`"),
        );
    } else if text.contains("{{") {
        at(
            format_args!("must have one pair of braces around a parameter: `{text}` in its pattern has two"),
            format_args!("write `{{{name}}}`"),
        );
    } else {
        at(
            format_args!("must have whole segments as parameters: `{text}` in its pattern is only partly one"),
            format_args!(
                "write `{{{name}}}` and take the text apart in the handler, or in a type that implements `FromParam`"
            ),
        );
    }
}

/// The parameters of other frameworks, and how we write them.
fn foreign(text: &str) -> Option<(&'static str, String)> {
    let one = |name: &str| format!("{{{}}}", first_name(name).unwrap_or("id"));
    let rest = |name: &str| format!("{{*{}}}", first_name(name).unwrap_or("rest"));
    if let Some(name) = text.strip_prefix(':') {
        return Some((
            "how other frameworks write one",
            if name.ends_with('*') { rest(name) } else { one(name) },
        ));
    }
    if let Some(name) = text.strip_prefix('*') {
        return Some(("how other frameworks write a wildcard", rest(name)));
    }
    let inner = |open, close| text.strip_prefix(open).and_then(|t| t.strip_suffix(close));
    if let Some(name) = inner('<', '>').or_else(|| inner('[', ']')) {
        if let Some(name) = name.strip_prefix("path:").or_else(|| name.strip_suffix("..")) {
            return Some(("how other frameworks write a wildcard", rest(name)));
        }
        if let Some(name) = name.strip_prefix("...") {
            return Some(("how other frameworks write a wildcard", rest(name)));
        }
        let name = name.rsplit(':').next().unwrap_or(name);
        return Some(("how other frameworks write one", one(name)));
    }
    None
}

/// A literal segment in normal form.
fn literal(text: &str, at: &mut Report<'_>) -> Option<String> {
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '%' {
            let Some(byte) = escape(rest) else {
                at(
                    format_args!("must have two hexadecimal digits after each `%` of its pattern: `{text}` has not"),
                    format_args!("write `%25` for the character `%` itself"),
                );
                return None;
            };
            rest = &rest[2..];
            if is_unreserved(byte) {
                normal.push(char::from(byte));
            } else {
                normal.push_str(&format!("%{byte:02X}"));
            }
        } else if c.is_ascii() && is_pchar(c as u8) {
            normal.push(c);
        } else {
            let encoded: String = c
                .encode_utf8(&mut [0; 4])
                .bytes()
                .map(|byte| format!("%{byte:02X}"))
                .collect();
            at(
                format_args!(
                    "must have only what RFC 3986 allows in its pattern: `{}` is not",
                    c.escape_default()
                ),
                format_args!("write it percent-encoded, as clients send it: `{encoded}`"),
            );
            return None;
        }
    }
    if normal == "." || normal == ".." {
        at(
            format_args!("must not have a dot segment in its pattern: clients resolve `{text}` before they send it"),
            format_args!("write the path that `{text}` leads to"),
        );
        return None;
    }
    Some(normal)
}

fn escape(digits: &str) -> Option<u8> {
    let digits = digits.get(..2).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_pchar(byte: u8) -> bool {
    is_unreserved(byte) || b"!$&'()*+,;=:@".contains(&byte)
}

/// Whether a text can name a parameter.
pub(crate) fn is_name(text: &str) -> bool {
    text != "_"
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The first run of a text that can name a parameter, to suggest it.
fn first_name(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .find(|part| is_name(part))
}
