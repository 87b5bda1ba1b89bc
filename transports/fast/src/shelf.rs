//! What a worker keeps for its next requests: as much as it has lately needed at once.

use std::cell::{Cell, RefCell};

/// How many are kept however little is going on, unless the worker was prewarmed for more.
pub(crate) const FEW: usize = 16;

/// Spare things of one kind.
#[derive(Debug)]
pub(crate) struct Shelf<T> {
    spare: RefCell<Vec<T>>,
    /// The fewest there were since the last trim: nobody needed these.
    fewest: Cell<usize>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self {
            spare: RefCell::default(),
            fewest: Cell::new(0),
        }
    }
}

impl<T> Shelf<T> {
    /// One, if there is one: the last that was put back, which is still in the processor's caches.
    #[inline]
    pub(crate) fn take(&self) -> Option<T> {
        let spare = &mut *self.spare.borrow_mut();
        let taken = spare.pop();
        if spare.len() < self.fewest.get() {
            self.fewest.set(spare.len());
        }
        taken
    }

    /// Puts one back.
    #[inline]
    pub(crate) fn put(&self, thing: T) {
        self.spare.borrow_mut().push(thing);
    }

    /// Drops half of what nobody has needed since the last time, but for a `few`. Whether more are left.
    pub(crate) fn trim(&self, few: usize) -> bool {
        let mut spare = self.spare.borrow_mut();
        let unused = self.fewest.get().min(spare.len().saturating_sub(few));
        // Those at the front have been there longest. Dropped once the shelf can be used again: a thing may put others back.
        let dropped: Vec<T> = spare.drain(..unused.div_ceil(2)).collect();
        let left = spare.len();
        self.fewest.set(left);
        drop(spare);
        drop(dropped);
        left > few
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.spare.borrow().len()
    }

    /// Drops all.
    pub(crate) fn clear(&self) {
        let dropped = std::mem::take(&mut *self.spare.borrow_mut());
        self.fewest.set(0);
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_needed_at_once_is_kept_and_the_rest_goes_by_halves() {
        let shelf = Shelf::default();
        (0..116).for_each(|thing| shelf.put(thing));
        shelf.trim(FEW);
        assert_eq!(shelf.spare.borrow().len(), 116, "they have just come");
        for left in [66, 41, 28] {
            // Needed, all but those.
            shelf.trim(FEW);
            assert_eq!(shelf.spare.borrow().len(), left);
        }
        let needed: Vec<_> = (0..28).filter_map(|_| shelf.take()).collect();
        needed.into_iter().for_each(|thing| shelf.put(thing));
        shelf.trim(FEW);
        assert_eq!(shelf.spare.borrow().len(), 28, "all of them were needed");
        let trims = (0..100).take_while(|_| shelf.trim(FEW)).count();
        assert!(trims < 10, "{trims}");
        assert_eq!(shelf.spare.borrow().len(), FEW);
    }
}
