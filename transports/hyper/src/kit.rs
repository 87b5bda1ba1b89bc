//! What one exchange needs, kept by threads for the next: head, reply and their buffers.

use std::cell::RefCell;

use crate::exchange::{Exchange, Head};

/// How many kits a thread keeps.
const SPARE: usize = 64;
/// A buffer that grew past this is not kept.
const KEEP: usize = 64 * 1024;

thread_local! {
    #[expect(clippy::vec_box, reason = "a kit is handed on as the box it is in")]
    static POOL: RefCell<Vec<Box<Kit>>> = const { RefCell::new(Vec::new()) };
}

/// A head and an exchange, reused from request to request; a connection holds one only while it serves a request.
#[derive(Default)]
pub(crate) struct Kit {
    pub(crate) head: Head,
    pub(crate) exchange: Exchange,
}

impl Kit {
    /// One from the thread's pool, or a new one.
    pub(crate) fn take() -> Box<Self> {
        POOL.with_borrow_mut(Vec::pop).unwrap_or_default()
    }

    /// Gives it back, as new.
    pub(crate) fn give_back(mut self: Box<Self>) {
        self.exchange.body.recycle(KEEP);
        self.exchange.recycle(KEEP);
        POOL.with_borrow_mut(|pool| {
            if pool.len() < SPARE {
                pool.push(self);
            }
        });
    }
}
