//! Places for the futures of batches, which are as large as the largest handler: pooled, so that an idle connection's task is small
//! and a batch allocates nothing.

use std::pin::Pin;

use crate::shelf::Shelf;

/// A place, and the future in it while there is a batch.
pub(crate) type Slot<F> = Pin<Box<Option<F>>>;

/// The pool. `make` makes the future of a batch, whose type has no name.
pub(crate) struct Slots<M, F> {
    make: M,
    spare: Shelf<Slot<F>>,
}

impl<M, F> Slots<M, F> {
    pub(crate) fn new<A>(make: M) -> Self
    where
        M: Fn(A) -> F,
    {
        Self {
            make,
            spare: Shelf::default(),
        }
    }

    /// The future of a batch, in a place.
    #[inline]
    pub(crate) fn begin<A>(&self, argument: A) -> Slot<F>
    where
        M: Fn(A) -> F,
    {
        let mut slot = self.spare.take().unwrap_or_else(|| Box::pin(None));
        slot.set(Some((self.make)(argument)));
        slot
    }

    /// The batch is over: a future at its end holds nothing any more, and makes room when the next begins.
    pub(crate) fn end(&self, slot: Slot<F>) {
        self.spare.put(slot);
    }

    /// Makes places in advance.
    pub(crate) fn prewarm(&self, count: usize) {
        (0..count).for_each(|_| self.spare.put(Box::pin(None)));
    }

    /// Drops some that nobody has needed lately. Whether more than a few are left.
    pub(crate) fn trim(&self, few: usize) -> bool {
        self.spare.trim(few)
    }
}
