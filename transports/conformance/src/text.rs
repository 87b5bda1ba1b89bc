//! The text of a case: latin-1, with repeats and named values written short.

use std::collections::BTreeMap;

/// Values a server has of its own, such as `ETAG`, by the name cases use.
pub type Values = BTreeMap<&'static str, String>;

/// Writes out `{{rep:TEXT:n}}`, `{{seq:TEXT with #:n}}` and `{{NAME}}`.
///
/// Repeats may be nested; the innermost (the last one opened) goes first.
///
/// # Panics
/// A repeat is not closed or has no count: the corpus itself is wrong.
pub fn expand(text: &str, values: &Values) -> String {
    let mut text = text.to_owned();
    while let Some(start) = text.rfind("{{rep:").max(text.rfind("{{seq:")) {
        let end = start + text[start..].find("}}").expect("a repeat is closed");
        let (part, count) = text[start + 6..end].rsplit_once(':').expect("a repeat has a count");
        let count: usize = count.parse().expect("the count of a repeat is a number");
        let repeated = if text[start..].starts_with("{{rep:") {
            part.repeat(count)
        } else {
            (0..count).map(|i| part.replace('#', &i.to_string())).collect()
        };
        text.replace_range(start..end + 2, &repeated);
    }
    for (name, value) in values {
        text = text.replace(&format!("{{{{{name}}}}}"), value);
    }
    text
}

/// The bytes of a case's text, as they go over the wire.
pub fn raw(text: &str, values: &Values) -> Vec<u8> {
    latin1(&expand(text, values))
}

/// Text of code points up to 255 as bytes.
///
/// # Panics
/// The text holds another code point: the corpus itself is wrong.
pub fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(c).expect("case text is latin-1"))
        .collect()
}

/// Bytes as text of code points up to 255.
pub fn from_latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// The names of the values a case's text needs, each once, sorted.
pub fn needs(text: &str) -> Vec<String> {
    let mut names: Vec<String> = text
        .split("{{")
        .skip(1)
        .filter_map(|rest| rest.split_once("}}").map(|(name, _)| name))
        .filter(|name| !name.is_empty() && name.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'_' | b'0'..=b'9')))
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_written_out_from_the_inside() {
        let values = Values::from([("ETAG", "\"x\"".to_owned())]);
        for (text, wanted) in [
            ("a{{rep:b:3}}c", "abbbc"),
            ("{{rep:x{{rep:y:2}}:2}}", "xyyxyy"),
            ("{{seq:#=#;:3}}", "0=0;1=1;2=2;"),
            ("{{rep::3}}-{{rep:q:0}}", "-"),
            ("{{rep:a:b:2}}", "a:ba:b"),
            ("If-Match: {{ETAG}}", "If-Match: \"x\""),
            ("{{OTHER}}", "{{OTHER}}"),
        ] {
            let text = expand(text, &values);
            assert_eq!(text, wanted);
        }
        assert_eq!(raw("\u{ff}\0", &Values::new()), [255, 0]);
        assert_eq!(needs("{{ETAG}} {{rep:a:2}} {{LASTMOD}} {{ETAG}}"), ["ETAG", "LASTMOD"]);
    }
}
