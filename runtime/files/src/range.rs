//! Which bytes a `Range` field asks for (RFC 9110 14.1, 14.2): a pure function of the field and a length.
//!
//! It must not know files. What is sent of them is in `answer.rs`.

use std::ops::Range;

/// The most ranges that are answered one by one. A client that asks for more gets the whole.
pub(crate) const MAX_RANGES: usize = 16;

/// What a `Range` field comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All of it, as without the field: the field is malformed, of another unit, or asks for too much at once.
    Whole,
    /// These bytes: not empty.
    Part(Range<u64>),
    /// These parts, two at least, in the order they were asked for. None is empty, none touches another.
    Parts(Vec<Range<u64>>),
    /// Nothing that is there: 416.
    Nothing,
}

/// Reads a `Range` field, for a representation of `length` bytes.
///
/// Ranges that overlap or touch become one, so that no client gets more than the whole and what stands between the parts.
pub(crate) fn wanted(field: &[u8], length: u64) -> Wanted {
    let Some(specs) = specs(field) else {
        return Wanted::Whole;
    };
    let mut first = None;
    let mut more = Vec::new();
    let mut seen = 0;
    for spec in specs.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
        if spec.is_empty() {
            // A list may have empty elements (RFC 9110 5.6.1).
            continue;
        }
        seen += 1;
        let Some(spec) = Spec::parse(spec).filter(|_| seen <= MAX_RANGES) else {
            return Wanted::Whole;
        };
        let Some(range) = spec.within(length) else { continue };
        match &first {
            None => first = Some(range),
            Some(first) => {
                if more.is_empty() {
                    more.push(first.clone());
                }
                more.push(range);
            }
        }
    }
    coalesce(&mut more);
    match (seen, first) {
        (0, _) => Wanted::Whole,
        (_, Some(_)) if more.len() > 1 => Wanted::Parts(more),
        (_, Some(only)) => Wanted::Part(more.pop().unwrap_or(only)),
        // No `Content-Range` can name a part of nothing: the last bytes of an empty representation are the whole.
        (_, None) if length == 0 && specs.trim_ascii().starts_with(b"-") && !is_zero_suffix(specs) => Wanted::Whole,
        (_, None) => Wanted::Nothing,
    }
}

/// What follows `bytes=`.
fn specs(field: &[u8]) -> Option<&[u8]> {
    let (unit, rest) = field.split_at_checked(b"bytes=".len())?;
    unit.eq_ignore_ascii_case(b"bytes=").then_some(rest)
}

/// Whether it is `-0`, which nothing satisfies.
fn is_zero_suffix(specs: &[u8]) -> bool {
    matches!(Spec::parse(specs.trim_ascii()), Some(Spec::Last(0)))
}

enum Spec {
    /// From the first to the last, included.
    Between(u64, u64),
    From(u64),
    Last(u64),
}

impl Spec {
    /// `None`: it is malformed, and all of its field with it.
    fn parse(spec: &[u8]) -> Option<Self> {
        let dash = spec.iter().position(|byte| *byte == b'-')?;
        match (&spec[..dash], &spec[dash + 1..]) {
            (b"", last) => number(last).map(Self::Last),
            (first, b"") => number(first).map(Self::From),
            (first, last) => {
                let (first, last) = (number(first)?, number(last)?);
                (first <= last).then_some(Self::Between(first, last))
            }
        }
    }

    /// Which bytes of `length` these are; `None` if there are none.
    fn within(&self, length: u64) -> Option<Range<u64>> {
        let range = match *self {
            Self::Between(first, last) => first..last.saturating_add(1).min(length),
            Self::From(first) => first..length,
            Self::Last(count) => length.saturating_sub(count)..length,
        };
        (range.start < range.end).then_some(range)
    }
}

/// Digits only. A number that is too large is as large as can be: no representation is that long.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| byte - b'0')?;
        Some(number.saturating_mul(10).saturating_add(u64::from(digit)))
    })
}

/// Makes one of those that overlap or touch, where the first of them stands.
fn coalesce(ranges: &mut Vec<Range<u64>>) {
    let mut at = 0;
    while at < ranges.len() {
        let touching = (at + 1..ranges.len())
            .find(|&other| ranges[other].start <= ranges[at].end && ranges[at].start <= ranges[other].end);
        match touching {
            Some(other) => {
                let other = ranges.remove(other);
                let range = &mut ranges[at];
                *range = range.start.min(other.start)..range.end.max(other.end);
            }
            None => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(range: Range<u64>) -> Wanted {
        Wanted::Part(range)
    }

    #[test]
    fn fields_come_to_ranges() {
        let table = [
            ("bytes=6-", part(6..11)),
            ("bytes=-5", part(6..11)),
            ("bytes=0-0", part(0..1)),
            ("bytes=10-10", part(10..11)),
            ("bytes=6-9999", part(6..11)),
            ("bytes=-9999", part(0..11)),
            ("bytes=0-", part(0..11)),
            ("BYTES=0-4", part(0..5)),
            ("bytes=6-99999999999999999999999", part(6..11)),
            ("bytes=6-18446744073709551615", part(6..11)),
            ("bytes= 0-4 ", part(0..5)),
            ("bytes=0-4,", part(0..5)),
            ("bytes=,,0-4", part(0..5)),
            // One is not there, the other is.
            ("bytes=50-60,0-4", part(0..5)),
            ("bytes=0-4,-0", part(0..5)),
            // They overlap, or touch.
            ("bytes=0-4,3-6", part(0..7)),
            ("bytes=5-6,0-4", part(0..7)),
            ("bytes=0-1,4-5,2-3", part(0..6)),
            ("bytes=0-0,0-0,0-0", part(0..1)),
            ("bytes=0-1,9-10", Wanted::Parts(vec![0..2, 9..11])),
            ("bytes=8-9,4-5,0-1", Wanted::Parts(vec![8..10, 4..6, 0..2])),
            ("bytes=0-1\t, -1", Wanted::Parts(vec![0..2, 10..11])),
            ("bytes=9-9,0-1,8-8", Wanted::Parts(vec![8..10, 0..2])),
            ("bytes=11-", Wanted::Nothing),
            ("bytes=11-12,50-", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=18446744073709551616-18446744073709551620", Wanted::Nothing),
        ];
        for (field, expected) in table {
            assert_eq!(wanted(field.as_bytes(), 11), expected, "{field}");
        }
    }

    #[test]
    fn what_is_malformed_is_as_if_it_were_not_there() {
        let malformed = [
            "",
            "bytes",
            "bytes=",
            "bytes=,",
            "bytes=abc",
            "bytes=0-abc",
            "bytes=--5",
            "bytes=-1-5",
            "bytes=0 - 4",
            "bytes 0-4",
            "bytes=+0-4",
            "bytes=0-4;5-6",
            "bytes=0-4x",
            "bytes=-",
            "bytes=4-0",
            "bytes=0-4,x",
            "bytes =0-4",
            "bytes=0x0-4",
            "items=0-4",
            "none",
            "bytes=0-4,4-0",
            "bytes=5",
            "bytes=\u{663}-4",
        ];
        for field in malformed {
            assert_eq!(wanted(field.as_bytes(), 11), Wanted::Whole, "{field}");
        }
    }

    #[test]
    fn an_empty_representation_has_an_end_and_no_bytes() {
        assert_eq!(wanted(b"bytes=-5", 0), Wanted::Whole);
        for field in ["bytes=0-", "bytes=0-4", "bytes=-0"] {
            assert_eq!(wanted(field.as_bytes(), 0), Wanted::Nothing, "{field}");
        }
    }

    #[test]
    fn too_many_ranges_are_the_whole() {
        let field = |count: u64| {
            let specs: Vec<_> = (0..count).map(|at| format!("{0}-{0}", at * 2)).collect();
            format!("bytes={}", specs.join(","))
        };
        let Wanted::Parts(parts) = wanted(field(16).as_bytes(), 1000) else {
            panic!("sixteen are answered one by one")
        };
        assert_eq!(parts.len(), 16);
        assert_eq!(wanted(field(17).as_bytes(), 1000), Wanted::Whole);
        // Those that are not there count, too.
        assert_eq!(wanted(field(17).as_bytes(), 10), Wanted::Whole);
    }

    proptest! {
        #[test]
        fn parts_are_in_the_file_and_apart(
            specs in prop::collection::vec((0u64..300, prop::option::of(0u64..300), any::<bool>()), 1..20),
            length in 0u64..200,
        ) {
            let asked = |spec: &(u64, Option<u64>, bool), byte: u64| match *spec {
                (first, _, true) => byte + first >= length,
                (first, Some(more), false) => (first..=first + more).contains(&byte),
                (first, None, false) => byte >= first,
            };
            let texts: Vec<_> = specs.iter().map(|spec| match *spec {
                (last, _, true) => format!("-{last}"),
                (first, Some(more), false) => format!("{first}-{}", first + more),
                (first, None, false) => format!("{first}-"),
            }).collect();
            let parts = match wanted(format!("bytes={}", texts.join(",")).as_bytes(), length) {
                Wanted::Whole => {
                    prop_assert!(specs.len() > MAX_RANGES || length == 0);
                    return Ok(());
                }
                Wanted::Nothing => Vec::new(),
                Wanted::Part(part) => vec![part],
                Wanted::Parts(parts) => {
                    prop_assert!(parts.len() >= 2);
                    parts
                }
            };
            for (at, part) in parts.iter().enumerate() {
                prop_assert!(part.start < part.end && part.end <= length);
                for other in &parts[at + 1..] {
                    prop_assert!(part.end < other.start || other.end < part.start, "{part:?} {other:?}");
                }
            }
            // Exactly what was asked for, and nothing else.
            for byte in 0..length {
                let sent = parts.iter().any(|part| part.contains(&byte));
                prop_assert_eq!(sent, specs.iter().any(|spec| asked(spec, byte)), "byte {}", byte);
            }
        }

        #[test]
        fn no_field_breaks_it(field in prop::collection::vec(any::<u8>(), 0..60), length: u64) {
            wanted(&field, length);
            wanted(&[&b"bytes="[..], &field].concat(), length);
        }
    }
}
