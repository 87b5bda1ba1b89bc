//! Choices, drawn from a seed or from the bytes of a fuzzer. Who draws does not know which: what makes requests for a bounded
//! run in a test makes them for a fuzzer, too.

/// A source of choices.
///
/// ```
/// use pw_conformance::draw::Draw;
/// let (mut one, mut same) = (Draw::seeded(7), Draw::seeded(7));
/// assert_eq!(one.below(1000), same.below(1000));
/// let mut fuzzed = Draw::of(&[3, 1]);
/// assert_eq!((fuzzed.below(10), fuzzed.below(10), fuzzed.below(10)), (3, 1, 0));
/// ```
#[derive(Clone, Debug)]
pub struct Draw<'a>(Source<'a>);

#[derive(Clone, Debug)]
enum Source<'a> {
    Seed(u64),
    Bytes(&'a [u8]),
}

impl Draw<'static> {
    /// Choices without end, the same for the same seed.
    pub fn seeded(seed: u64) -> Self {
        Self(Source::Seed(seed))
    }
}

impl<'a> Draw<'a> {
    /// One byte a choice, or more where there is more to choose from. Where the bytes end, the first choice is taken, so the
    /// first should be the plainest.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self(Source::Bytes(bytes))
    }

    /// A number below this one, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0, "there is nothing to choose");
        match &mut self.0 {
            Source::Seed(state) => ((u128::from(mix(state)) * bound as u128) >> 64) as usize,
            Source::Bytes(bytes) => {
                let (mut number, mut most) = (0, 1);
                while most < bound {
                    number = number << 8 | bytes.split_off_first().map_or(0, |byte| usize::from(*byte));
                    most <<= 8;
                }
                number % bound
            }
        }
    }

    /// A number of this range.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// True once in so many times; never where a fuzzer's bytes have ended.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of these.
    pub fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        &from[self.below(from.len())]
    }

    /// A byte.
    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// As many bytes.
    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.byte()).collect()
    }

    /// What is left of a fuzzer's bytes, at most so many; from a seed, as many as chance wants.
    pub fn rest(&mut self, most: usize) -> Vec<u8> {
        if let Source::Bytes(bytes) = &mut self.0 {
            let count = bytes.len().min(most);
            return bytes.split_off(..count).map(<[u8]>::to_vec).unwrap_or_default();
        }
        let count = self.below(most + 1);
        self.bytes(count)
    }

    /// Where to cut something of this length into at most so many pieces more than one, in order.
    pub fn cuts(&mut self, length: usize, most: usize) -> Vec<usize> {
        let count = self.below(most + 1);
        let mut cuts: Vec<usize> = (0..count).map(|_| self.below(length + 1)).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }
}

/// The next number of the sequence (splitmix64).
fn mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = *state;
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_drawn_and_none_beyond() {
        let mut seen = [0; 7];
        let mut draw = Draw::seeded(1);
        for _ in 0..700 {
            seen[draw.below(7)] += 1;
        }
        assert!(seen.iter().all(|count| (50..150).contains(count)), "{seen:?}");
        assert!((0..100).all(|_| (3..=5).contains(&draw.between(3, 5))));
    }

    #[test]
    fn bytes_give_choices_up_to_their_end() {
        let mut draw = Draw::of(&[0, 1, 0xff, 0x01, 0x02]);
        assert_eq!((draw.once_in(2), draw.once_in(2)), (false, true));
        assert_eq!(draw.byte(), 0xff);
        assert_eq!(draw.below(1000), 0x0102);
        assert_eq!(draw.below(1000), 0);
        assert!(!draw.once_in(3));
        assert_eq!(Draw::of(b"abc").rest(2), b"ab");
        assert_eq!(Draw::of(b"abc").rest(5), b"abc");
    }

    #[test]
    fn cuts_are_in_order() {
        let mut draw = Draw::seeded(3);
        for length in 0..50 {
            let cuts = draw.cuts(length, 5);
            assert!(cuts.is_sorted() && cuts.iter().all(|cut| *cut <= length));
        }
    }
}
