//! Bytes read from a client and not yet used.

use std::io;
use std::task::{Context, Poll, ready};

use crate::buffers::{Buffers, SMALL, poison};
use crate::io::Io;

/// A growing window of input.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// As long as there is room, so that reading needs not be told what of it holds something.
    buffer: Vec<u8>,
    /// What has been read and not used is from here on,
    start: usize,
    /// up to here.
    end: usize,
}

impl Input {
    /// What has been read and not used.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// The same with the memory behind it, and how much has been read.
    pub(crate) fn bytes_within(&self) -> (&[u8], usize) {
        (&self.buffer[self.start..], self.end - self.start)
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The first `count` bytes have been used.
    pub(crate) fn consume(&mut self, count: usize) {
        debug_assert!(count <= self.bytes().len(), "only what was read is used");
        self.start += count;
        if self.is_empty() {
            self.clear();
        }
    }

    /// Forgets what waits.
    pub(crate) fn clear(&mut self) {
        (self.start, self.end) = (0, 0);
        poison(&mut self.buffer);
    }

    /// Reads once. `Ready(Ok(0))` is the end of the stream.
    #[inline(always)]
    pub(crate) fn poll_fill(
        &mut self,
        io: &mut Io,
        task: &mut Context<'_>,
        buffers: &Buffers,
    ) -> Poll<io::Result<usize>> {
        if self.end == self.buffer.len() {
            self.make_room(buffers);
        }
        let count = ready!(io.poll_fill(task, &mut self.buffer[self.end..]))?;
        self.end += count;
        Poll::Ready(Ok(count))
    }

    /// Moves what waits to the front, and sees to it that more has room behind it.
    #[cold]
    fn make_room(&mut self, buffers: &Buffers) {
        self.buffer.drain(..self.start);
        (self.start, self.end) = (0, self.end - self.start);
        buffers.make_room(&mut self.buffer, 1);
        self.buffer.resize(self.buffer.capacity(), 0);
    }

    /// Makes the buffer in advance.
    pub(crate) fn prewarm(&mut self, buffers: &Buffers) {
        self.make_room(buffers);
    }

    /// Nothing is to come for long: where nothing waits no buffer is held.
    pub(crate) fn rest(&mut self, buffers: &Buffers) {
        if self.is_empty() && !self.buffer.is_empty() {
            self.clear();
            buffers.give_back(std::mem::take(&mut self.buffer));
        }
    }

    /// Makes it as new: a buffer that has grown goes back.
    pub(crate) fn recycle(&mut self, buffers: &Buffers) {
        self.clear();
        if self.buffer.len() > SMALL {
            buffers.give_back(std::mem::take(&mut self.buffer));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_window_holds_what_was_not_used_however_much_it_is() {
        let (mut client, server) = duplex(64 << 10);
        let (mut io, buffers) = (Io::Pipe(Box::new(server)), Buffers::default());
        let task = &mut Context::from_waker(Waker::noop());
        let mut input = Input::default();
        let sent: Vec<u8> = (0..200_000u32).map(|at| at as u8).collect();
        let (mut written, mut seen) = (0, Vec::new());
        while seen.len() < sent.len() {
            let next = (written + 7001).min(sent.len());
            client.write_all(&sent[written..next]).await.unwrap();
            written = next;
            while matches!(input.poll_fill(&mut io, task, &buffers), Poll::Ready(Ok(1..))) {}
            assert_eq!(input.bytes(), &sent[seen.len()..written]);
            let used = if written == sent.len() {
                input.bytes().len()
            } else {
                input.bytes().len() / 3
            };
            seen.extend_from_slice(&input.bytes()[..used]);
            input.consume(used);
        }
        assert_eq!(seen, sent);
        input.recycle(&buffers);
        assert!(input.is_empty() && input.buffer.capacity() <= SMALL);
    }
}
