//! Buffers that a worker keeps for its next requests, in classes by size.

use std::cell::RefCell;

/// The sizes that are kept, and how many of each: a mebibyte or so of each class.
const CLASSES: [(usize, usize); 3] = [(4 << 10, 256), (16 << 10, 64), (64 << 10, 16)];

/// What released memory is filled with in debug builds: what is read after its request shows at once.
pub(crate) const POISON: u8 = 0xdd;

/// The smallest buffer there is.
pub(crate) const SMALL: usize = CLASSES[0].0;

/// A buffer that grew past this is not kept.
pub(crate) const LARGEST: usize = CLASSES[CLASSES.len() - 1].0;

/// The pool.
#[derive(Debug, Default)]
pub(crate) struct Buffers([RefCell<Vec<Vec<u8>>>; CLASSES.len()]);

impl Buffers {
    /// An empty buffer with room for `size` bytes, or for as many as the largest class has.
    pub(crate) fn take(&self, size: usize) -> Vec<u8> {
        let class = CLASSES.iter().position(|&(held, _)| size <= held);
        let class = class.unwrap_or(CLASSES.len() - 1);
        let spare = self.0[class].borrow_mut().pop();
        spare.unwrap_or_else(|| Vec::with_capacity(CLASSES[class].0))
    }

    /// Takes a buffer back, whatever is in it.
    pub(crate) fn give_back(&self, mut buffer: Vec<u8>) {
        let class = CLASSES.iter().rposition(|&(held, _)| held <= buffer.capacity());
        let Some(class) = class.filter(|_| buffer.capacity() <= LARGEST) else {
            return;
        };
        wipe(&mut buffer);
        let spare = &mut *self.0[class].borrow_mut();
        if spare.len() < CLASSES[class].1 {
            spare.push(buffer);
        }
    }
}

/// Empties a buffer that stays where it is. In debug builds what was in it is gone, too.
pub(crate) fn wipe(buffer: &mut Vec<u8>) {
    if cfg!(debug_assertions) {
        buffer.fill(POISON);
    }
    buffer.clear();
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
    fn what_grew_too_large_or_is_too_much_is_not_kept() {
        let buffers = Buffers::default();
        buffers.give_back(Vec::with_capacity(LARGEST + 1));
        buffers.give_back(Vec::new());
        buffers.give_back(Vec::with_capacity(SMALL - 1));
        for _ in 0..1000 {
            buffers.give_back(Vec::with_capacity(SMALL));
        }
        let held: Vec<usize> = buffers.0.iter().map(|class| class.borrow().len()).collect();
        assert_eq!(held, [256, 0, 0]);
    }

    #[test]
    fn released_memory_is_poisoned() {
        // In release builds the bytes stay until they are written over.
        let mut buffer = b"secret".to_vec();
        wipe(&mut buffer);
        assert_eq!((buffer.len(), buffer.capacity()), (0, 6));
        let mut seen = b"secret".to_vec();
        if cfg!(debug_assertions) {
            seen.fill(POISON);
            assert!(seen.iter().all(|&byte| byte == POISON));
        }
    }
}
