//! Places for the futures of batches, which are as large as the largest handler: pooled, so that an idle connection's task is small
//! and a batch allocates nothing.

use std::cell::RefCell;
use std::pin::Pin;

/// How many places a worker keeps.
const SPARE: usize = 256;

/// A place, and the future in it while there is a batch.
pub(crate) type Slot<F> = Pin<Box<Option<F>>>;

/// The pool. `make` makes the future of a batch, whose type has no name.
pub(crate) struct Slots<M, F> {
    make: M,
    spare: RefCell<Vec<Slot<F>>>,
}

impl<M, F> Slots<M, F> {
    pub(crate) fn new<A>(make: M) -> Self
    where
        M: Fn(A) -> F,
    {
        Self {
            make,
            spare: RefCell::default(),
        }
    }

    /// The future of a batch, in a place.
    #[inline]
    pub(crate) fn begin<A>(&self, argument: A) -> Slot<F>
    where
        M: Fn(A) -> F,
    {
        let spare = self.spare.borrow_mut().pop();
        let mut slot = spare.unwrap_or_else(|| Box::pin(None));
        slot.set(Some((self.make)(argument)));
        slot
    }

    /// The batch is over.
    pub(crate) fn end(&self, mut slot: Slot<F>) {
        slot.set(None);
        let spare = &mut *self.spare.borrow_mut();
        if spare.len() < SPARE {
            spare.push(slot);
        }
    }

    /// Makes places in advance.
    pub(crate) fn prewarm(&self, count: usize) {
        let spare = &mut *self.spare.borrow_mut();
        spare.resize_with(count.min(SPARE), || Box::pin(None));
    }
}
