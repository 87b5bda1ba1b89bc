//! The walk: from a raw path to the leaves of the tree that have it, most specific first.
//!
//! Segments are compared as numbers of eight bytes. Nothing here allocates, and every byte of a path is looked at a
//! bounded number of times: once for each node that the path reaches.

use super::Params;
use super::method::Wanted;
use super::node::{Leaf, Node};
use crate::percent::escape;

/// The route of the most specific pattern that has the path and the method.
#[inline]
pub(super) fn first(root: &Node, path: &[u8], wanted: &Wanted<'_>, params: &mut Params) -> Option<usize> {
    params.len = 0;
    let [b'/', ..] = path else { return None };
    walk(root, path, 1, 0, params, &mut |leaf| leaf.route(wanted))
}

/// Calls `then` for every pattern that has the path.
pub(super) fn each(root: &Node, path: &[u8], then: &mut impl FnMut(&Leaf)) {
    if path.first() == Some(&b'/') {
        let all = &mut |leaf: &Leaf| -> Option<()> {
            then(leaf);
            None
        };
        walk(root, path, 1, 0, &mut Params::default(), all);
    }
}

/// Tries what may follow `node`, from the most to the least specific, until `accept` gives something. `at` is where the
/// segment begins, behind its slash, and `count` the number of parameters so far.
fn walk<T>(
    mut node: &Node,
    path: &[u8],
    mut at: usize,
    mut count: usize,
    params: &mut Params,
    accept: &mut impl FnMut(&Leaf) -> Option<T>,
) -> Option<T> {
    loop {
        if at >= path.len() {
            return node.slash.and_then(accept);
        }
        let segment = Segment::new(path, at);
        if let Some((child, end)) = literal(node.literals, path, &segment) {
            if node.param.is_none() && node.rest.is_none() {
                if end == path.len() {
                    return child.leaf.and_then(accept);
                }
                (node, at) = (child, end + 1);
                continue;
            }
            let found = match end == path.len() {
                true => child.leaf.and_then(&mut *accept),
                false => walk(child, path, end + 1, count, params, accept),
            };
            if found.is_some() {
                return found;
            }
        }
        if let Some(child) = node.param
            && segment.end > at
        {
            params.set(count, at, segment.end);
            if node.rest.is_none() && segment.end < path.len() {
                (node, at, count) = (child, segment.end + 1, count + 1);
                continue;
            }
            let found = match segment.end == path.len() {
                true => child.leaf.and_then(&mut *accept),
                false => walk(child, path, segment.end + 1, count + 1, params, accept),
            };
            if found.is_some() {
                return found;
            }
        }
        return node.rest.and_then(|leaf| {
            params.set(count, at, path.len());
            accept(leaf)
        });
    }
}

/// A segment of the path: where it begins, where it ends, and its first eight bytes.
struct Segment {
    start: usize,
    end: usize,
    word: u64,
}

impl Segment {
    fn new(path: &[u8], start: usize) -> Self {
        let mut word = load(path, start);
        let slash = first_of(b'/', word);
        let end = match slash < 8 {
            true => {
                word &= !(u64::MAX << (8 * slash));
                start + slash
            }
            false => slash_from(path, start + 8),
        };
        Self { start, end, word }
    }
}

/// The child a segment names, and where its text ends in the path.
fn literal<'n>(literals: &'n [Node], path: &[u8], segment: &Segment) -> Option<(&'n Node, usize)> {
    if literals.is_empty() {
        return None;
    }
    let wanted = segment.word.swap_bytes();
    let mut near = candidates(literals, wanted).peekable();
    if near.peek().is_none() && first_of(b'%', segment.word) == 8 {
        return None;
    }
    for node in near {
        let text = node.text.as_bytes();
        let end = segment.start + text.len();
        let same = match text.len() <= 8 && end == segment.end {
            true => true,
            false => path.get(segment.start..end) == Some(text) && matches!(path.get(end), None | Some(b'/')),
        };
        if same {
            return Some((node, end));
        }
    }
    escaped(literals, path, segment)
}

/// The literals with this key. They are sorted by it.
fn candidates(literals: &[Node], key: u64) -> impl Iterator<Item = &Node> {
    let from = literals.partition_point(|node| node.key < key);
    literals[from..].iter().take_while(move |node| node.key == key)
}

/// As [`literal`], where the path may hold escapes that stand for themselves.
#[cold]
#[inline(never)]
fn escaped<'n>(literals: &'n [Node], path: &[u8], segment: &Segment) -> Option<(&'n Node, usize)> {
    let bytes = Normal::new(&path[segment.start..segment.end]).take(8).enumerate();
    let wanted = bytes.fold(0, |key, (i, byte)| key | u64::from(byte) << (56 - 8 * i));
    candidates(literals, wanted).find_map(|node| {
        let mut rest = Normal::new(&path[segment.start..]);
        let same = node.text.bytes().all(|byte| rest.next() == Some(byte));
        let end = path.len() - rest.bytes.len();
        (same && matches!(rest.bytes, [] | [b'/', ..])).then_some((node, end))
    })
}

/// The bytes of a path in normal form: an escaped unreserved character is the character, and the digits of any other
/// escape are in upper case (RFC 3986 6.2.2).
struct Normal<'a> {
    bytes: &'a [u8],
    /// How many digits of an escape are to come.
    digits: u8,
}

impl<'a> Normal<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, digits: 0 }
    }
}

impl Iterator for Normal<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        if self.digits > 0 {
            self.digits -= 1;
            return Some(byte.to_ascii_uppercase());
        }
        if byte != b'%' {
            return Some(byte);
        }
        match escape(rest) {
            Some(value) if is_unreserved(value) => {
                self.bytes = &rest[2..];
                return Some(value);
            }
            Some(_) => self.digits = 2,
            None => {}
        }
        Some(byte)
    }
}

/// Whether a character may always stand unescaped (RFC 3986 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// The eight bytes from `at` on, the first one lowest, with zeros behind the end.
fn load(path: &[u8], at: usize) -> u64 {
    let rest = &path[at..];
    if let Some(bytes) = rest.first_chunk() {
        return u64::from_le_bytes(*bytes);
    }
    match path.last_chunk() {
        Some(bytes) if !rest.is_empty() => u64::from_le_bytes(*bytes) >> (64 - 8 * rest.len()),
        _ => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// Which byte of a word, lowest first, is the first `byte`; 8 if none is.
fn first_of(byte: u8, word: u64) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let zero = word ^ (ONES * u64::from(byte));
    ((zero.wrapping_sub(ONES) & !zero & (ONES << 7)).trailing_zeros() / 8) as usize
}

/// Where the first slash from `at` on is, or the end.
fn slash_from(path: &[u8], mut at: usize) -> usize {
    while at < path.len() {
        let slash = first_of(b'/', load(path, at));
        if slash < 8 {
            return at + slash;
        }
        at += 8;
    }
    path.len()
}

/// The first eight bytes of a text's first segment as a number that sorts as they do.
pub(super) const fn key(text: &[u8]) -> u64 {
    let mut key = 0;
    let mut i = 0;
    while i < 8 && i < text.len() && text[i] != b'/' {
        key |= (text[i] as u64) << (56 - 8 * i);
        i += 1;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_end_at_a_slash_or_the_end() {
        for length in 0..40 {
            for slash in 0..length {
                let mut path = vec![b'a'; length];
                path[slash] = b'/';
                for at in 0..length {
                    let segment = Segment::new(&path, at);
                    let end = if at <= slash { slash } else { length };
                    assert_eq!((segment.start, segment.end), (at, end), "{length} {slash} {at}");
                    let word = path[at..end].iter().take(8).rev();
                    assert_eq!(segment.word, word.fold(0, |word, byte| word << 8 | u64::from(*byte)));
                    assert_eq!(segment.word.swap_bytes(), key(&path[at..]));
                }
            }
        }
    }

    #[test]
    fn keys_sort_as_texts() {
        let mut texts = ["", "a", "aa", "ab", "abcdefgh", "b-", "b.", "ba", "~", "%2F"];
        texts.sort();
        assert!(texts.is_sorted_by_key(|text| key(text.as_bytes())));
        assert_eq!(key(b"api/v1"), key(b"api"));
    }

    #[test]
    fn normal_form_decodes_unreserved_characters_only() {
        let normal = |path: &str| String::from_utf8(Normal::new(path.as_bytes()).collect()).unwrap();
        assert_eq!(normal("%70in%67%2d%7e"), "ping-~");
        assert_eq!(normal("a%2fb%c3%a9"), "a%2Fb%C3%A9");
        for kept in ["%", "%2", "%zz", "%%70", "a%2"] {
            assert_eq!(normal(kept), kept.replace("%70", "p"), "{kept}");
        }
        assert_eq!(normal("%2570"), "%2570", "decoded once only");
    }
}
