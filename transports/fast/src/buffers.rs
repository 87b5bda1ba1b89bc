//! Buffers that a worker keeps for its next requests, in classes by size.

use crate::shelf::{FEW, Shelf};

/// The sizes that are kept.
const CLASSES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];

/// What released memory is filled with in debug builds: what is read after its request shows at once.
const POISON: u8 = 0xdd;

/// The smallest buffer there is.
pub(crate) const SMALL: usize = CLASSES[0];

/// A buffer that grew past this is not kept.
pub(crate) const LARGEST: usize = CLASSES[CLASSES.len() - 1];

/// The pool.
#[derive(Debug, Default)]
pub(crate) struct Buffers([Shelf<Vec<u8>>; CLASSES.len()]);

impl Buffers {
    /// An empty buffer with room for `size` bytes, or for as many as the largest class has.
    pub(crate) fn take(&self, size: usize) -> Vec<u8> {
        let class = CLASSES.iter().position(|&held| size <= held);
        let class = class.unwrap_or(CLASSES.len() - 1);
        self.0[class]
            .take()
            .unwrap_or_else(|| Vec::with_capacity(CLASSES[class]))
    }

    /// Takes a buffer back, whatever is in it.
    pub(crate) fn give_back(&self, mut buffer: Vec<u8>) {
        let class = CLASSES.iter().rposition(|&held| held <= buffer.capacity());
        if let Some(class) = class.filter(|_| buffer.capacity() <= LARGEST) {
            wipe(&mut buffer);
            self.0[class].put(buffer);
        }
    }

    /// Sees to it that `more` bytes fit behind what is in the buffer.
    #[inline]
    pub(crate) fn make_room(&self, buffer: &mut Vec<u8>, more: usize) {
        if buffer.capacity() - buffer.len() < more {
            self.grow(buffer, more);
        }
    }

    /// By the classes as far as they reach, then by doubling.
    #[cold]
    fn grow(&self, buffer: &mut Vec<u8>, more: usize) {
        let needed = buffer.len() + more;
        if needed > LARGEST {
            buffer.reserve(more.max(buffer.len()));
            return;
        }
        let mut larger = self.take(needed);
        larger.extend_from_slice(buffer);
        self.give_back(std::mem::replace(buffer, larger));
    }

    /// Drops some of what nobody has needed lately. Whether more than a `few` of the smallest, or some larger ones, are left.
    pub(crate) fn trim(&self, few: usize) -> bool {
        let [small, larger @ ..] = &self.0;
        larger
            .iter()
            .fold(small.trim(few), |more, class| class.trim(FEW) | more)
    }
}

/// Empties a buffer that stays where it is. In debug builds what was in it is gone, too.
pub(crate) fn wipe(buffer: &mut Vec<u8>) {
    poison(buffer);
    buffer.clear();
}

/// In debug builds overwrites what nobody may read any more.
pub(crate) fn poison(bytes: &mut [u8]) {
    if cfg!(debug_assertions) {
        bytes.fill(POISON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_to_who_asks_for_its_size() {
        let buffers = Buffers::default();
        for (size, held) in [
            (1, 4 << 10),
            (4 << 10, 4 << 10),
            (5000, 16 << 10),
            (60_000, 64 << 10),
            (1 << 20, 64 << 10),
        ] {
            let buffer = buffers.take(size);
            assert!(buffer.is_empty() && buffer.capacity() == held, "{size}");
            let place = buffer.as_ptr();
            buffers.give_back(buffer);
            let again = buffers.take(size);
            assert_eq!(again.as_ptr(), place, "{size}");
        }
    }

    #[test]
    fn what_grew_too_large_is_not_kept() {
        let buffers = Buffers::default();
        buffers.give_back(Vec::with_capacity(LARGEST + 1));
        buffers.give_back(Vec::new());
        buffers.give_back(Vec::with_capacity(SMALL - 1));
        assert!(buffers.0.iter().all(|class| class.take().is_none()));
    }

    #[test]
    fn a_buffer_grows_by_the_classes_and_keeps_what_is_in_it() {
        let buffers = Buffers::default();
        let mut buffer = Vec::new();
        let whole: Vec<u8> = (0..200_000u32).map(|at| at as u8).collect();
        for piece in whole.chunks(3000) {
            buffers.make_room(&mut buffer, piece.len());
            let room = buffer.capacity();
            buffer.extend_from_slice(piece);
            assert_eq!(buffer.capacity(), room, "it had room");
            assert!(room > LARGEST || CLASSES.contains(&room), "{room}");
        }
        assert_eq!(buffer, whole);
        let spare: Vec<bool> = buffers.0.iter().map(|class| class.take().is_some()).collect();
        assert_eq!(
            spare,
            [true, true, false],
            "it went through these, and the largest grew on"
        );
    }

    #[test]
    fn released_memory_is_poisoned() {
        // In release builds the bytes stay until they are written over.
        let left = if cfg!(debug_assertions) {
            [POISON; 6]
        } else {
            *b"secret"
        };
        let mut bytes = *b"secret";
        poison(&mut bytes);
        assert_eq!(bytes, left);
        let mut buffer = b"secret".to_vec();
        wipe(&mut buffer);
        assert_eq!((buffer.len(), buffer.capacity()), (0, 6));
    }
}
