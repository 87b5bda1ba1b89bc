//! Scanning sixteen bytes at a time: names, values and paths are most of a head.
//!
//! Each scanner is exact: it gives what the table in [`class`] gives, only sooner; what is rare is left to the table.

use std::ops::Range;

use crate::class::{self, TOKEN, VALUE};

/// The first position from `at` on whose byte may not stand in a field value; `bytes.len()` if there is none.
#[inline(always)]
pub(crate) fn value_end(bytes: &[u8], at: usize) -> usize {
    end(bytes, at, VALUE, b'\r', chunk::not_of_values)
}

/// The first position from `at` on whose byte is not of a token; `bytes.len()` if there is none. `:` or a space is expected there.
#[inline(always)]
pub(crate) fn token_end(bytes: &[u8], at: usize, expected: u8) -> usize {
    end(bytes, at, TOKEN, expected, chunk::not_of_names)
}

/// The first position from `at` on whose byte is not of the class, which must hold letters, digits, `-`, `.` and `/`;
/// `bytes.len()` if there is none.
#[inline(always)]
pub(crate) fn path_end(bytes: &[u8], at: usize, class: u8) -> usize {
    end(bytes, at, class, b' ', chunk::not_of_paths)
}

/// `uncommon` has a bit for each byte of a chunk, set unless it is of the class and of the part of it that most texts are made
/// of; `expected` is not of the class, and most often what follows.
#[inline(always)]
fn end(bytes: &[u8], mut at: usize, class: u8, expected: u8, uncommon: impl Fn(&[u8; CHUNK]) -> u32) -> usize {
    loop {
        at = match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            Some(chunk) => at + first(uncommon(chunk)),
            None => match bytes.last_chunk() {
                // The last chunk is looked at once more, and what has been seen of it left out.
                Some(last) => bytes
                    .len()
                    .min(at + first(uncommon(last) >> (CHUNK - (bytes.len() - at)))),
                None => return class::span(bytes, at, class),
            },
        };
        match bytes.get(at) {
            Some(&byte) if byte != expected && class::is(byte, class) => at += 1,
            _ => return at,
        }
    }
}

/// Where the name of a field line ends, and its value, if the line is as most are: a short name, one space, and a value that is not
/// long and has no white space at its end.
#[inline(always)]
pub(crate) fn usual_line(line: &[u8; WINDOW]) -> Option<(usize, usize)> {
    let name = first(chunk::not_of_names(line.first_chunk()?));
    let mut end = name + 2;
    for _ in 0..WINDOW / CHUNK - 2 {
        let more = first(chunk::not_of_values(line[end..].first_chunk()?));
        end += more;
        if more < CHUNK {
            break;
        }
    }
    let value = name > 0 && line[name..].starts_with(b": ") && line[name + 2] > b' ' && line[end - 1] > b' ';
    (value && line[end..].starts_with(b"\r\n")).then_some((name, end))
}

/// How much of a line [`usual_line`] looks at.
pub(crate) const WINDOW: usize = 6 * CHUNK;

/// The place of the first mark; the length of a chunk if there is none.
#[inline(always)]
fn first(marks: u32) -> usize {
    (marks | 1 << CHUNK).trailing_zeros() as usize
}

const CHUNK: usize = 16;

/// What is uncommon in a chunk: a bit for each byte.
mod chunk {
    use wide::u8x16;

    use super::CHUNK;

    #[inline(always)]
    pub(super) fn not_of_values(bytes: &[u8; CHUNK]) -> u32 {
        let bytes = u8x16::new(*bytes);
        let control = between(bytes, 0, 0x1f) | is(bytes, 0x7f);
        (control & !is(bytes, b'\t')).to_bitmask()
    }

    #[inline(always)]
    pub(super) fn not_of_names(bytes: &[u8; CHUNK]) -> u32 {
        let bytes = u8x16::new(*bytes);
        none(letters(bytes) | is(bytes, b'-'))
    }

    #[inline(always)]
    pub(super) fn not_of_paths(bytes: &[u8; CHUNK]) -> u32 {
        let bytes = u8x16::new(*bytes);
        none(letters(bytes) | between(bytes, b'-', b'9'))
    }

    #[inline(always)]
    fn none(common: u8x16) -> u32 {
        !common.to_bitmask() & ((1 << CHUNK) - 1)
    }

    #[inline(always)]
    fn letters(bytes: u8x16) -> u8x16 {
        between(bytes | u8x16::splat(0x20), b'a', b'z')
    }

    #[inline(always)]
    fn between(bytes: u8x16, first: u8, last: u8) -> u8x16 {
        let above = bytes - u8x16::splat(first);
        above.min(u8x16::splat(last - first)).simd_eq(above)
    }

    #[inline(always)]
    fn is(bytes: u8x16, byte: u8) -> u8x16 {
        bytes.simd_eq(u8x16::splat(byte))
    }
}

/// The first `length` of up to eight bytes as a number, upper-case letters as lower-case ones. Of the bytes allowed in a token
/// or a field value, only letters look like a letter, and only `-` like `-`.
#[inline(always)]
pub(crate) fn fold(bytes: &[u8], length: usize) -> u64 {
    const LOWER: u64 = u64::from_le_bytes([0x20; 8]);
    let word = match bytes.first_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &b| word << 8 | u64::from(b)),
    };
    let mask = if length < 8 { (1 << (8 * length)) - 1 } else { u64::MAX };
    (word | LOWER) & mask
}

/// The range without spaces and tabs at its ends. Its bytes are those of a field value: nothing else is as low as a space.
#[inline(always)]
pub(crate) fn trim(bytes: &[u8], start: usize, end: usize) -> Range<usize> {
    match bytes.get(start..end) {
        // The usual: one space, and a value.
        Some([b' ', first, .., last]) if *first > b' ' && *last > b' ' => start + 1..end,
        _ => trim_all(bytes, start, end),
    }
}

#[inline(never)]
fn trim_all(bytes: &[u8], mut start: usize, mut end: usize) -> Range<usize> {
    while start < end && bytes[start] <= b' ' {
        start += 1;
    }
    while start < end && bytes[end - 1] <= b' ' {
        end -= 1;
    }
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{PATH, QUERY};

    #[test]
    fn chunks_and_the_table_agree_on_every_byte_at_every_place() {
        for byte in 0..=255u8 {
            for place in 0..40 {
                for fill in [b' ', b'a', b'Z', b'-', b'.', b'0', b'/', b'~', b'\t', 0xff, 0x80] {
                    let mut bytes = [fill; 40];
                    bytes[place] = byte;
                    let bytes = &bytes[..40 - usize::from(byte) % 20];
                    let context = format!("{byte:#x} at {place} in {fill:#x}");
                    assert_eq!(value_end(bytes, 0), class::span(bytes, 0, VALUE), "{context}");
                    assert_eq!(token_end(bytes, 0, b':'), class::span(bytes, 0, TOKEN), "{context}");
                    assert_eq!(path_end(bytes, 0, PATH), class::span(bytes, 0, PATH), "{context}");
                    assert_eq!(path_end(bytes, 0, QUERY), class::span(bytes, 0, QUERY), "{context}");
                }
            }
        }
    }

    #[test]
    fn folding_takes_eight_bytes_at_most() {
        assert_eq!(fold(b"Host: localhost", 4), u64::from_le_bytes(*b"host\0\0\0\0"));
        assert_eq!(fold(b"Host", 4), u64::from_le_bytes(*b"host\0\0\0\0"));
        assert_eq!(fold(b"KEEP-ALIVE", 10), u64::from_le_bytes(*b"keep-ali"));
        assert_eq!(fold(b"", 0), 0);
    }

    #[test]
    fn white_space_at_the_ends_goes() {
        for (text, want) in [
            ("", ""),
            (" ", ""),
            ("\t \t", ""),
            (" a", "a"),
            ("a\t ", "a"),
            ("\ta b ", "a b"),
        ] {
            let range = trim(text.as_bytes(), 0, text.len());
            assert_eq!(&text[range], want, "{text:?}");
        }
    }
}
