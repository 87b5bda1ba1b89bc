//! What a client accepts: the field `Accept` (RFC 9110 12.5.1). It must not know what a handler has to offer it for.
//!
//! An element that breaks the grammar is passed over, as if it were not there: a client that sends one is not to be punished for the
//! rest.

use pw_core::weight::thousandths;

/// The ranges of media types that a client named, of all its `Accept` lines.
#[derive(Debug, Default)]
pub(crate) struct Accept<'a> {
    ranges: Vec<Range<'a>>,
}

#[derive(Debug)]
struct Range<'a> {
    media_type: &'a [u8],
    subtype: &'a [u8],
    /// It has parameters that no type of ours has: it is a range of other representations.
    foreign: bool,
    /// In thousandths.
    weight: u16,
}

impl<'a> Accept<'a> {
    /// Of the field's values, one for each line.
    pub(crate) fn parse(values: impl Iterator<Item = &'a [u8]>) -> Self {
        let elements = values.flat_map(|value| split(value, b','));
        Self {
            ranges: elements.filter_map(range).collect(),
        }
    }

    /// Whether it names anything. A client that does not takes what it is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How much it wants a type, in thousandths: what the most specific range says that the type is in; 0 if it is in none.
    pub(crate) fn weight(&self, essence: &str) -> u16 {
        let (media_type, subtype) = essence.split_once('/').expect("a type has two parts");
        let best = self.ranges.iter().filter(|range| !range.foreign).filter_map(|range| {
            let specific = match (range.media_type, range.subtype) {
                (b"*", b"*") => 0,
                (t, b"*") if t.eq_ignore_ascii_case(media_type.as_bytes()) => 1,
                (t, s)
                    if t.eq_ignore_ascii_case(media_type.as_bytes()) && s.eq_ignore_ascii_case(subtype.as_bytes()) =>
                {
                    2
                }
                _ => return None,
            };
            Some((specific, range.weight))
        });
        best.max().map_or(0, |(_, weight)| weight)
    }
}

/// The parts between separators, of which those in quoted strings are none.
fn split(value: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    value.split(move |&byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if byte == separator => return !quoted,
            _ => {}
        }
        false
    })
}

fn range(element: &[u8]) -> Option<Range<'_>> {
    let mut parts = split(element, b';').map(<[u8]>::trim_ascii);
    let essence = parts.next()?;
    let slash = essence.iter().position(|byte| *byte == b'/')?;
    let (media_type, subtype) = (&essence[..slash], &essence[slash + 1..]);
    let grammar = is_token(media_type) && is_token(subtype) && (media_type != b"*" || subtype == b"*");
    if !grammar {
        return None;
    }
    let (mut foreign, mut weight) = (false, 1000);
    for parameter in parts.filter(|parameter| !parameter.is_empty()) {
        let equals = parameter.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (&parameter[..equals], &parameter[equals + 1..]);
        if name.eq_ignore_ascii_case(b"q") {
            weight = thousandths(value)?;
            // What follows extends `Accept` itself (RFC 7231 5.3.2), and is no parameter of the type.
            break;
        }
        // All that is offered is UTF-8.
        let utf8 = name.eq_ignore_ascii_case(b"charset") && unquoted(value).eq_ignore_ascii_case(b"utf-8");
        foreign |= !utf8;
    }
    Some(Range {
        media_type,
        subtype,
        foreign,
        weight,
    })
}

fn unquoted(value: &[u8]) -> &[u8] {
    let inner = value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\""));
    inner.unwrap_or(value)
}

fn is_token(text: &[u8]) -> bool {
    !text.is_empty()
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn weight(accept: &str, essence: &str) -> u16 {
        Accept::parse([accept.as_bytes()].into_iter()).weight(essence)
    }

    #[test]
    fn the_most_specific_range_decides() {
        for (accept, json, events) in [
            ("application/json", 1000, 0),
            ("Application/JSON;q=0.5", 500, 0),
            ("*/*", 1000, 1000),
            ("*/*;q=0.1, application/json;q=0", 0, 100),
            ("application/*;q=0.3,application/json;q=0.25", 250, 0),
            ("application/json;q=0.25,application/*;q=0.3", 250, 0),
            ("text/*, */*;q=0.001", 1, 1000),
            ("application/json; charset=UTF-8", 1000, 0),
            ("application/json; charset=\"utf-8\"; q=0.7", 700, 0),
            ("application/json; charset=latin1", 0, 0),
            ("application/json;profile=\"a,b;q=1\"", 0, 0),
            (
                "application/json;profile=\"\\\"\", text/event-stream ; q=1.000",
                0,
                1000,
            ),
            ("application/json;q=0.5;level=1", 500, 0),
            (" , ,application/json,, ", 1000, 0),
        ] {
            assert_eq!(weight(accept, "application/json"), json, "{accept}");
            assert_eq!(weight(accept, "text/event-stream"), events, "{accept}");
        }
    }

    #[test]
    fn what_breaks_the_grammar_is_passed_over() {
        for broken in [
            "",
            "json",
            "application/",
            "/json",
            "*/json",
            "application/json;q=1.5",
            "application/json;q=0.1234",
            "application/json;q=-1",
            "application/json;q=",
            "application/json;q",
            "application /json",
            "application/js on",
        ] {
            assert!(Accept::parse([broken.as_bytes()].into_iter()).is_empty(), "{broken}");
            let with = format!("{broken}, text/event-stream;q=0.5");
            assert_eq!(weight(&with, "text/event-stream"), 500, "{broken}");
        }
    }

    #[test]
    fn several_lines_are_one_list() {
        let accept = Accept::parse([&b"text/event-stream"[..], b"application/json;q=0.2"].into_iter());
        assert_eq!(accept.weight("text/event-stream"), 1000);
        assert_eq!(accept.weight("application/json"), 200);
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_much(value in proptest::collection::vec(any::<u8>(), 0..80)) {
            let accept = Accept::parse([value.as_slice()].into_iter());
            prop_assert!(accept.weight("application/json") <= 1000);
        }

        #[test]
        fn the_order_of_elements_is_nothing(
            elements in proptest::collection::vec(
                (prop_oneof!["\\*/\\*", "application/\\*", "application/json", "text/event-stream"], 0u16..=1000),
                1..6,
            ),
        ) {
            let print = |elements: &[(String, u16)]| {
                let print = |(range, weight): &(String, u16)| format!("{range};q={}.{:03}", weight / 1000, weight % 1000);
                elements.iter().map(print).collect::<Vec<_>>().join(", ")
            };
            let forwards = print(&elements);
            let backwards = print(&elements.iter().rev().cloned().collect::<Vec<_>>());
            for essence in ["application/json", "application/x-ndjson", "text/event-stream"] {
                prop_assert_eq!(weight(&forwards, essence), weight(&backwards, essence));
            }
        }
    }
}
