//! Bytes on their way to a client: small answers are gathered, so that pipelined ones leave in one write.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

/// Above this a buffer is not kept once it is empty.
const KEEP: usize = 16 * 1024;

/// The most pieces that are written in one call behind what waits; hyper holds some more at times.
const SLICES: usize = 8;

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

    /// Where to append.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Writes until nothing waits. `progress` is set once anything was written.
    pub(crate) fn poll_flush(
        &mut self,
        mut io: Pin<&mut impl AsyncWrite>,
        task: &mut Context<'_>,
        progress: &mut bool,
    ) -> Poll<io::Result<()>> {
        while !self.is_empty() {
            let count = ready!(io.as_mut().poll_write(task, &self.buffer[self.start..]))?;
            self.wrote(count)?;
            *progress = true;
        }
        Poll::Ready(Ok(()))
    }

    /// Writes what waits and then `slices`, in one call as far as the socket takes it. Ready: how much of `slices` was taken, which
    /// is something; then nothing waits any more.
    pub(crate) fn poll_write_through(
        &mut self,
        mut io: Pin<&mut impl AsyncWrite>,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
        progress: &mut bool,
    ) -> Poll<io::Result<usize>> {
        loop {
            let waiting = self.len();
            let count = if waiting == 0 {
                ready!(io.as_mut().poll_write_vectored(task, slices))?
            } else {
                let mut all = [IoSlice::new(&[]); SLICES];
                all[0] = IoSlice::new(&self.buffer[self.start..]);
                let others = slices.len().min(SLICES - 1);
                all[1..][..others].copy_from_slice(&slices[..others]);
                ready!(io.as_mut().poll_write_vectored(task, &all[..=others]))?
            };
            *progress = true;
            if count > waiting || waiting == 0 {
                self.wrote_all();
                return Poll::Ready(Ok(count - waiting));
            }
            self.wrote(count)?;
        }
    }

    fn wrote(&mut self, count: usize) -> io::Result<()> {
        if count == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.start += count;
        if self.start == self.buffer.len() {
            self.wrote_all();
        } else if self.start > KEEP.max(self.len()) {
            // A client may see to it that something always waits; what it has must not pile up in front.
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        Ok(())
    }

    fn wrote_all(&mut self) {
        self.start = 0;
        self.buffer.clear();
        if self.buffer.capacity() > KEEP {
            self.buffer = Vec::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use tokio::io::{AsyncRead, ReadBuf, duplex};

    use super::*;

    /// All that a pipe which takes `room` bytes at a time gets of what waits and what is written through, in pieces of `piece` bytes.
    fn received(waiting: &[u8], through: &[u8], room: usize, piece: usize) -> Vec<u8> {
        let (mut ours, mut theirs) = duplex(room);
        let task = &mut Context::from_waker(Waker::noop());
        let mut output = Output::default();
        output.buffer().extend_from_slice(waiting);
        let (mut got, mut sent) = (Vec::new(), 0);
        while got.len() < waiting.len() + through.len() {
            let (before, mut progress) = (output.len() + through.len() - sent, false);
            if sent < through.len() {
                let slices: Vec<IoSlice<'_>> = through[sent..].chunks(piece).map(IoSlice::new).collect();
                if let Poll::Ready(count) = output.poll_write_through(Pin::new(&mut ours), task, &slices, &mut progress)
                {
                    sent += count.unwrap();
                }
            } else {
                let _ = output.poll_flush(Pin::new(&mut ours), task, &mut progress);
            }
            assert_eq!(
                progress,
                output.len() + through.len() - sent < before,
                "progress is told as it is"
            );
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
            for (waiting, through) in [("", "through"), ("waiting", ""), ("waiting", "through"), ("w", "t")] {
                for piece in [1, 2, 100] {
                    let got = received(waiting.as_bytes(), through.as_bytes(), room, piece);
                    assert_eq!(got, [waiting, through].concat().as_bytes(), "{room} {piece}");
                }
            }
        }
    }

    #[test]
    fn pieces_beyond_those_written_at_once_are_not_lost() {
        let through = [b'x'; 5 * SLICES];
        assert_eq!(
            received(b"waiting", &through, 1000, 1),
            [&b"waiting"[..], &through].concat()
        );
    }

    #[test]
    fn what_was_written_does_not_pile_up_before_what_waits() {
        let (mut ours, mut theirs) = duplex(KEEP);
        let task = &mut Context::from_waker(Waker::noop());
        let mut output = Output::default();
        output.buffer().resize(3 * KEEP, b'w');
        let mut space = vec![0; KEEP];
        for _ in 0..100 {
            assert!(output.poll_flush(Pin::new(&mut ours), task, &mut false).is_pending());
            let mut space = ReadBuf::new(&mut space);
            assert!(Pin::new(&mut theirs).poll_read(task, &mut space).is_ready());
            let more = output.buffer.len() + space.filled().len();
            output.buffer().resize(more, b'w');
            assert!(output.buffer.len() <= 8 * KEEP, "{}", output.buffer.len());
        }
    }

    #[test]
    fn a_buffer_that_grew_is_not_kept() {
        let mut output = Output::default();
        output.buffer().resize(2 * KEEP, b'x');
        let (mut ours, _theirs) = duplex(4 * KEEP);
        let task = &mut Context::from_waker(Waker::noop());
        assert!(output.poll_flush(Pin::new(&mut ours), task, &mut false).is_ready());
        assert_eq!(output.buffer.capacity(), 0);
    }
}
