//! Bytes on their way to a client: small answers are gathered, so that pipelined ones leave in one write.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;

/// Above this a buffer is not kept once it is empty.
const KEEP: usize = 16 * 1024;

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

    /// Writes what waits and then `bytes`, in one call as far as the socket takes it. Ready: how much of `bytes` was taken;
    /// then nothing waits any more.
    pub(crate) fn poll_write_through(
        &mut self,
        mut io: Pin<&mut impl AsyncWrite>,
        task: &mut Context<'_>,
        bytes: &[u8],
        progress: &mut bool,
    ) -> Poll<io::Result<usize>> {
        loop {
            let waiting = self.len();
            let count = if waiting == 0 {
                ready!(io.as_mut().poll_write(task, bytes))?
            } else {
                let both = [IoSlice::new(&self.buffer[self.start..]), IoSlice::new(bytes)];
                ready!(io.as_mut().poll_write_vectored(task, &both))?
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
