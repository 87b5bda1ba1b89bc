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
    params.clear();
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
        let Some(word) = load(path, at) else {
            return node.slash.and_then(accept);
        };
        if let Some((child, end)) = literal(node.literals, path, at, word) {
            let last = end == path.len();
            if node.param.is_none() && node.rest.is_none() {
                if last {
                    return child.leaf.and_then(accept);
                }
                (node, at) = (child, end + 1);
                continue;
            }
            let found = match last {
                true => child.leaf.and_then(&mut *accept),
                false => walk(child, path, end + 1, count, params, accept),
            };
            if found.is_some() {
                return found;
            }
        }
        if let Some(child) = node.param {
            let (end, escaped) = segment_end(path, at, word);
            if end > at {
                params.escaped |= escaped;
                params.set(count, at, end);
                let last = end == path.len();
                if !last && node.rest.is_none() {
                    (node, at, count) = (child, end + 1, count + 1);
                    continue;
                }
                let found = match last {
                    true => child.leaf.and_then(&mut *accept),
                    false => walk(child, path, end + 1, count + 1, params, accept),
                };
                if found.is_some() {
                    return found;
                }
            }
        }
        return node.rest.and_then(|leaf| {
            params.escaped |= path[at..].contains(&b'%');
            params.set(count, at, path.len());
            accept(leaf)
        });
    }
}

/// The child that the segment at `at` names, and where its text ends in the path.
#[inline]
fn literal<'n>(literals: &'n [Node], path: &[u8], at: usize, word: u64) -> Option<(&'n Node, usize)> {
    let wanted = word.swap_bytes();
    let node = last_up_to(literals, wanted)?;
    if wanted & node.mask == node.key {
        if node.text.len() < WORD {
            return Some((node, at + node.text.len()));
        }
        return match ends(node, path, at) {
            Some(end) => Some((node, end)),
            None => alike_or_escaped(literals, path, at, wanted),
        };
    }
    match first_of(b'%', word) < WORD {
        true => escaped(literals, path, at),
        false => None,
    }
}

/// The last of the literals whose key is not above this one: no other can be the segment's.
#[inline]
fn last_up_to(literals: &[Node], key: u64) -> Option<&Node> {
    let mut literals = literals;
    while literals.len() > 1 {
        let (low, high) = literals.split_at(literals.len() / 2);
        literals = if high[0].key <= key { high } else { low };
    }
    literals.first()
}

/// Where a literal of eight bytes or more ends in the path, if it is there.
#[inline]
fn ends(node: &Node, path: &[u8], at: usize) -> Option<usize> {
    let end = at + node.text.len();
    let same = path.get(at..end)? == node.text.as_bytes() && matches!(path.get(end), None | Some(b'/'));
    same.then_some(end)
}

/// As [`literal`], where another of the literals may have the same first eight bytes.
#[cold]
#[inline(never)]
fn alike_or_escaped<'n>(literals: &'n [Node], path: &[u8], at: usize, key: u64) -> Option<(&'n Node, usize)> {
    let exact = alike(literals, key).find_map(|node| Some((node, ends(node, path, at)?)));
    exact.or_else(|| escaped(literals, path, at))
}

/// The literals with this key, which are neighbours.
fn alike(literals: &[Node], key: u64) -> impl Iterator<Item = &Node> {
    let from = literals.partition_point(|node| node.key < key);
    literals[from..].iter().take_while(move |node| node.key == key)
}

/// As [`literal`], where the path may hold escapes that stand for themselves.
#[cold]
#[inline(never)]
fn escaped<'n>(literals: &'n [Node], path: &[u8], at: usize) -> Option<(&'n Node, usize)> {
    let segment = || Normal::new(&path[at..]);
    let first = segment().chain([b'/']).take(WORD).enumerate();
    let wanted = first.fold(0, |key, (i, byte)| key | u64::from(byte) << (56 - 8 * i));
    let key = last_up_to(literals, wanted)?.key;
    alike(literals, key).find_map(|node| {
        let mut rest = segment();
        let same = node.text.bytes().all(|byte| rest.next() == Some(byte));
        (same && matches!(rest.bytes, [] | [b'/', ..])).then_some((node, path.len() - rest.bytes.len()))
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

/// The bytes that are compared at once.
const WORD: usize = size_of::<u64>();

/// The eight bytes from `at` on, the first one lowest. At the end of the path stands a slash, so that every segment ends
/// with one, and then zeros. None if nothing remains.
#[inline]
fn load(path: &[u8], at: usize) -> Option<u64> {
    let rest = path.get(at..)?;
    if let Some(bytes) = rest.first_chunk() {
        return Some(u64::from_le_bytes(*bytes));
    }
    if rest.is_empty() {
        return None;
    }
    let bits = 8 * rest.len();
    let word = match path.last_chunk() {
        Some(bytes) => u64::from_le_bytes(*bytes) >> (64 - bits),
        None => rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    Some(word | u64::from(b'/') << bits)
}

/// Which byte of a word, lowest first, is the first `byte`; 8 if none is.
#[inline]
fn first_of(byte: u8, word: u64) -> usize {
    const ONES: u64 = u64::MAX / 255;
    let zero = word ^ (ONES * u64::from(byte));
    ((zero.wrapping_sub(ONES) & !zero & (ONES << 7)).trailing_zeros() / 8) as usize
}

/// Where the segment at `at` ends, whose first bytes are `word`, and whether there is a `%` in it.
#[inline]
fn segment_end(path: &[u8], mut at: usize, mut word: u64) -> (usize, bool) {
    let mut escaped = false;
    loop {
        let slash = first_of(b'/', word);
        escaped |= first_of(b'%', word) < slash;
        if slash < WORD {
            return (at + slash, escaped);
        }
        at += WORD;
        match load(path, at) {
            Some(next) => word = next,
            None => return (path.len(), escaped),
        }
    }
}

/// The first eight bytes of a literal and the slash behind it, the first one highest, so that numbers sort as texts do;
/// and a mask of those that count.
pub(super) const fn key(text: &[u8]) -> (u64, u64) {
    let (mut key, mut mask) = (0, 0);
    let mut i = 0;
    while i < WORD && i <= text.len() {
        let byte = if i < text.len() { text[i] } else { b'/' };
        key |= (byte as u64) << (56 - 8 * i);
        mask |= 0xff << (56 - 8 * i);
        i += 1;
    }
    (key, mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_with_a_slash_and_segments_at_one() {
        for length in 0..40 {
            for slash in 0..=length {
                let mut path = vec![b'a'; length];
                path.extend(b"/");
                path[slash] = b'/';
                let path = &path[..length];
                for at in 0..length {
                    let word = load(path, at).unwrap();
                    let padded = path[at..].iter().chain(b"/\0\0\0\0\0\0\0").take(WORD);
                    assert_eq!(
                        word,
                        padded
                            .collect::<Vec<_>>()
                            .into_iter()
                            .rev()
                            .fold(0, |word, byte| word << 8 | u64::from(*byte))
                    );
                    let end = if at <= slash { slash } else { length };
                    assert_eq!(segment_end(path, at, word), (end, false), "{length} {slash} {at}");
                }
                assert_eq!(load(path, length), None);
            }
        }
    }

    #[test]
    fn an_escape_is_seen_wherever_it_stands_in_its_segment_and_nowhere_else() {
        for length in 1..40 {
            for at in 0..length {
                let mut path = vec![b'a'; length];
                path[at] = b'%';
                let end = |path: &[u8]| segment_end(path, 0, load(path, 0).unwrap());
                assert_eq!(end(&path), (length, true), "{length} {at}");
                path.insert(at, b'/');
                assert_eq!(end(&path), (at, false), "behind the segment: {length} {at}");
            }
        }
    }

    #[test]
    fn keys_sort_as_texts_with_a_slash_behind() {
        let texts = ["%2F", "a-", "a", "aa", "ab", "abcdefgh", "b-", "b.", "b", "ba", "~"];
        assert!(texts.is_sorted_by_key(|text| key(text.as_bytes()).0));
        assert_eq!(key(b"ab"), (0x6162_2f00_0000_0000, 0xffff_ff00_0000_0000));
        assert_eq!(key(b"abcdefghi"), (0x6162_6364_6566_6768, u64::MAX));
    }

    #[test]
    fn normal_form_decodes_unreserved_characters_only() {
        let normal = |path: &str| String::from_utf8(Normal::new(path.as_bytes()).collect()).unwrap();
        assert_eq!(normal("%70in%67%2d%7e"), "ping-~");
        assert_eq!(normal("a%2fb%c3%a9"), "a%2Fb%C3%A9");
        for kept in ["%", "%2", "%zz", "%%zz", "a%2"] {
            assert_eq!(normal(kept), kept, "{kept}");
        }
        assert_eq!(normal("%2570"), "%2570", "decoded once only");
    }
}
