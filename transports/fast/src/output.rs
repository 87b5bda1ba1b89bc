//! Bytes on their way to a client: small answers are gathered, so that pipelined ones leave in one write.

use std::io::{self, IoSlice};
use std::task::{Context, Poll, ready};

use crate::buffers::{Buffers, SMALL, wipe};
use crate::io::Io;

/// What waits to be written.
#[derive(Debug, Default)]
pub(crate) struct Output {
    buffer: Vec<u8>,
    start: usize,
}

impl Output {
    /// How many bytes wait.
    pub(crate) fn len(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where to append. There is room for `size` bytes; what is more makes it grow.
    pub(crate) fn buffer(&mut self, size: usize, buffers: &Buffers) -> &mut Vec<u8> {
        buffers.make_room(&mut self.buffer, size);
        &mut self.buffer
    }

    /// Writes until nothing waits. `progress` is set once anything was written.
    pub(crate) fn poll_flush(
        &mut self,
        io: &mut Io,
        task: &mut Context<'_>,
        progress: &mut bool,
    ) -> Poll<io::Result<()>> {
        while !self.is_empty() {
            let count = ready!(io.poll_write(task, &self.buffer[self.start..]))?;
            self.wrote(count)?;
            *progress = true;
        }
        Poll::Ready(Ok(()))
    }

    /// As [`poll_flush`](Self::poll_flush), where more follows at once.
    pub(crate) fn poll_flush_corked(
        &mut self,
        io: &mut Io,
        task: &mut Context<'_>,
        progress: &mut bool,
    ) -> Poll<io::Result<()>> {
        while !self.is_empty() {
            let count = ready!(io.poll_write_corked(task, &self.buffer[self.start..]))?;
            self.wrote(count)?;
            *progress = true;
        }
        Poll::Ready(Ok(()))
    }

    /// Writes what waits and `content` from `sent` on, in one call as far as the socket takes it, until both are written.
    pub(crate) fn poll_write_all(
        &mut self,
        io: &mut Io,
        task: &mut Context<'_>,
        content: &[u8],
        sent: &mut usize,
        progress: &mut bool,
    ) -> Poll<io::Result<()>> {
        while *sent < content.len() {
            let waiting = self.len();
            let rest = &content[*sent..];
            let count = if waiting == 0 {
                ready!(io.poll_write(task, rest))?
            } else {
                let both = [IoSlice::new(&self.buffer[self.start..]), IoSlice::new(rest)];
                ready!(io.poll_write_vectored(task, &both))?
            };
            *progress = true;
            self.wrote(count.min(waiting))?;
            *sent += count.saturating_sub(waiting);
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
        }
        self.poll_flush(io, task, progress)
    }

    fn wrote(&mut self, count: usize) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.start += count;
        if self.is_empty() {
            self.start = 0;
            wipe(&mut self.buffer);
        } else if self.start > SMALL.max(self.len()) {
            // A client may see to it that something always waits; what it has must not pile up in front.
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        Ok(())
    }

    /// Nothing is to be written for long: where nothing waits no buffer is held.
    pub(crate) fn rest(&mut self, buffers: &Buffers) {
        if self.is_empty() {
            self.start = 0;
            buffers.give_back(std::mem::take(&mut self.buffer));
        }
    }

    /// Makes it as new: a buffer that has grown goes back.
    pub(crate) fn recycle(&mut self, buffers: &Buffers) {
        self.start = 0;
        if self.buffer.capacity() > SMALL {
            buffers.give_back(std::mem::take(&mut self.buffer));
        } else {
            wipe(&mut self.buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::Waker;

    use tokio::io::{AsyncRead, ReadBuf, duplex};

    use super::*;

    /// All that a pipe which takes `room` bytes at a time gets of what waits and what is written through.
    fn received(waiting: &[u8], content: &[u8], room: usize) -> Vec<u8> {
        let (ours, mut theirs) = duplex(room);
        let mut io = Io::Pipe(Box::new(ours));
        let task = &mut Context::from_waker(Waker::noop());
        let mut output = Output::default();
        output.buffer.extend_from_slice(waiting);
        let (mut got, mut sent, mut done) = (Vec::new(), 0, false);
        while !done {
            let (before, mut progress) = (output.len() + content.len() - sent, false);
            let written = output.poll_write_all(&mut io, task, content, &mut sent, &mut progress);
            done = written.is_ready();
            let left = output.len() + content.len() - sent;
            assert_eq!(progress, left < before, "progress is told as it is");
            let mut space = [0; 64];
            let mut space = ReadBuf::new(&mut space);
            let _ = Pin::new(&mut theirs).poll_read(task, &mut space);
            got.extend_from_slice(space.filled());
        }
        got
    }

    #[test]
    fn what_waits_goes_first_however_little_the_socket_takes() {
        for room in [1, 2, 3, 5, 8, 64] {
            for (waiting, content) in [("", "content"), ("waiting", ""), ("waiting", "content"), ("w", "c")] {
                let got = received(waiting.as_bytes(), content.as_bytes(), room);
                assert_eq!(got, [waiting, content].concat().as_bytes(), "{room}");
            }
        }
    }

    #[test]
    fn what_was_written_does_not_pile_up_before_what_waits() {
        let (ours, mut theirs) = duplex(SMALL);
        let mut io = Io::Pipe(Box::new(ours));
        let task = &mut Context::from_waker(Waker::noop());
        let mut output = Output::default();
        output.buffer.resize(3 * SMALL, b'w');
        let mut space = vec![0; SMALL];
        for _ in 0..100 {
            assert!(output.poll_flush(&mut io, task, &mut false).is_pending());
            let mut space = ReadBuf::new(&mut space);
            assert!(Pin::new(&mut theirs).poll_read(task, &mut space).is_ready());
            let more = output.buffer.len() + space.filled().len();
            output.buffer.resize(more, b'w');
            assert!(output.buffer.len() <= 8 * SMALL, "{}", output.buffer.len());
        }
    }

    #[test]
    fn a_buffer_that_grew_goes_back() {
        let buffers = Buffers::default();
        let mut output = Output::default();
        output.buffer.resize(3 * SMALL, b'x');
        output.recycle(&buffers);
        assert_eq!((output.len(), output.buffer.capacity()), (0, 0));
    }
}
