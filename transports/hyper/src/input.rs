//! Bytes read from a client and not yet used, in a buffer that is given back while there are none.

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// What a fresh buffer holds.
const SIZE: usize = 8 * 1024;
/// How many buffers a thread keeps for its next connections.
const SPARE: usize = 64;

thread_local! {
    static POOL: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// A growing window of input. The buffer is initialised to its whole length; `start..end` is what has been read.
#[derive(Debug, Default)]
pub(crate) struct Input {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Input {
    /// What has been read and not used.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// As [`bytes`](Self::bytes), with whatever stands behind them: the first so many are those.
    pub(crate) fn bytes_within(&self) -> (&[u8], usize) {
        (&self.buffer[self.start..], self.end - self.start)
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The first `count` bytes have been used.
    pub(crate) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.end - self.start);
        self.start += count;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Reads once. `Ready(Ok(0))` is the end of the stream. While nothing comes and nothing waits, no buffer is held:
    /// tokio takes a fresh socket for readable, and a client that sends nothing must not cost a buffer.
    pub(crate) fn poll_fill(
        &mut self,
        io: Pin<&mut impl AsyncRead>,
        task: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        self.make_room();
        let mut room = ReadBuf::new(&mut self.buffer[self.end..]);
        let outcome = io.poll_read(task, &mut room);
        let count = room.filled().len();
        self.end += count;
        if self.is_empty() {
            self.give_back();
        }
        ready!(outcome)?;
        Poll::Ready(Ok(count))
    }

    fn make_room(&mut self) {
        if self.buffer.is_empty() {
            self.buffer = POOL.with_borrow_mut(Vec::pop).unwrap_or_else(|| vec![0; SIZE]);
        }
        if self.end < self.buffer.len() {
            return;
        }
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        } else {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
    }

    fn give_back(&mut self) {
        let buffer = std::mem::take(&mut self.buffer);
        if buffer.len() == SIZE {
            POOL.with_borrow_mut(|pool| {
                if pool.len() < SPARE {
                    pool.push(buffer);
                }
            });
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.give_back();
    }
}
