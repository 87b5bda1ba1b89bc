//! Scanning field values, eight bytes at a time: they are most of a head.

use std::ops::Range;

use crate::class::{self, VALUE};

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = ONES << 7;

/// The first position from `at` on whose byte may not stand in a field value; `bytes.len()` if there is none.
#[inline]
pub(crate) fn span(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        let stops = below_space(word) | deletes(word);
        if stops == 0 {
            at += 8;
            continue;
        }
        // The lowest bit set is exact; what is above it may be a carry.
        at += (stops.trailing_zeros() / 8) as usize;
        if bytes[at] != b'\t' {
            return at;
        }
        at += 1;
    }
    class::span(bytes, at, VALUE)
}

/// The high bit of each byte below 0x20.
fn below_space(word: u64) -> u64 {
    word.wrapping_sub(ONES * 0x20) & !word & HIGH
}

/// The high bit of each byte that is 0x7f.
fn deletes(word: u64) -> u64 {
    let zero = word ^ (ONES * 0x7f);
    zero.wrapping_sub(ONES) & !zero & HIGH
}

/// The range without spaces and tabs at its ends.
#[inline]
pub(crate) fn trim(bytes: &[u8], mut start: usize, mut end: usize) -> Range<usize> {
    while start < end && is_space(bytes[start]) {
        start += 1;
    }
    while start < end && is_space(bytes[end - 1]) {
        end -= 1;
    }
    start..end
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_bytes_agree_on_every_byte_at_every_place() {
        for byte in 0..=255u8 {
            for place in 0..20 {
                for fill in [b' ', b'a', b'\t', 0xff, 0x80] {
                    let mut bytes = [fill; 20];
                    bytes[place] = byte;
                    let want = bytes
                        .iter()
                        .position(|&b| !pw_core::is_field_byte(b))
                        .unwrap_or(bytes.len());
                    assert_eq!(span(&bytes, 0), want, "{byte:#x} at {place} in {fill:#x}");
                }
            }
        }
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
