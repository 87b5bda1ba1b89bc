//! The signal from a server to its connections that it is going down.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Waker};

/// Tells connections to finish. A look costs one atomic load, so that it can be taken at every poll.
#[derive(Debug, Default)]
pub(crate) struct Drain {
    begun: AtomicBool,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    wakers: HashMap<u64, Waker>,
}

impl Drain {
    /// Whether the server is going down.
    pub(crate) fn has_begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// The server is going down: wakes every connection.
    pub(crate) fn begin(&self) {
        self.begun.store(true, Ordering::Release);
        for waker in std::mem::take(&mut self.lock().wakers).into_values() {
            waker.wake();
        }
    }

    /// Has this task woken when [`begin`](Self::begin) is called, until the registration is dropped.
    pub(crate) fn register(&self, task: &Context<'_>) -> Registration<'_> {
        let mut waiting = self.lock();
        let id = waiting.next;
        waiting.next += 1;
        waiting.wakers.insert(id, task.waker().clone());
        Registration { drain: self, id }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that waits for a [`Drain`].
pub(crate) struct Registration<'d> {
    drain: &'d Drain,
    id: u64,
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.drain.lock().wakers.remove(&self.id);
    }
}
