//! What a connection reads and writes: a socket, or a pipe in memory for tests.
//!
//! One type rather than a parameter: an exchange holds its connection, and generated code names the exchange. A pipe is behind a
//! trait object, so that only what makes one carries its code.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pw_server::Abort;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, DuplexStream, ReadBuf};
use tokio::net::TcpStream;

/// See the module.
pub(crate) enum Io {
    Socket(TcpStream),
    Pipe(Box<dyn Pipe>),
}

/// A pipe in memory.
pub(crate) trait Pipe: AsyncRead + AsyncWrite + Abort + Unpin + Send {}

impl Pipe for DuplexStream {}

impl Io {
    /// Reads once, into the room that `buffer` has. `Ready(Ok(0))` is the end of the stream.
    ///
    /// The buffer must have room: none would look like the end.
    pub(crate) fn poll_read(
        &mut self,
        task: &mut Context<'_>,
        buffer: &mut impl bytes::BufMut,
    ) -> Poll<io::Result<usize>> {
        debug_assert!(buffer.has_remaining_mut(), "there is room to read into");
        match self {
            Self::Socket(socket) => poll_read(socket, task, buffer),
            Self::Pipe(pipe) => poll_read(pipe, task, buffer),
        }
    }

    /// As [`poll_read`](Self::poll_read), into memory that holds something.
    pub(crate) fn poll_fill(&mut self, task: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        debug_assert!(!room.is_empty(), "there is room to read into");
        let mut room = ReadBuf::new(room);
        ready!(match self {
            Self::Socket(socket) => Pin::new(socket).poll_read(task, &mut room),
            Self::Pipe(pipe) => Pin::new(pipe).poll_read(task, &mut room),
        })?;
        Poll::Ready(Ok(room.filled().len()))
    }

    pub(crate) fn poll_write(&mut self, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Socket(socket) => Pin::new(socket).poll_write(task, bytes),
            Self::Pipe(pipe) => Pin::new(pipe).poll_write(task, bytes),
        }
    }

    pub(crate) fn poll_write_vectored(
        &mut self,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Socket(socket) => Pin::new(socket).poll_write_vectored(task, slices),
            Self::Pipe(pipe) => Pin::new(pipe).poll_write_vectored(task, slices),
        }
    }

    /// Shuts our side. What has been written still arrives.
    pub(crate) fn poll_shutdown(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Socket(socket) => Pin::new(socket).poll_shutdown(task),
            Self::Pipe(pipe) => Pin::new(pipe).poll_shutdown(task),
        }
    }

    /// The next drop throws away what was not sent.
    pub(crate) fn abort(&mut self) {
        match self {
            Self::Socket(socket) => socket.abort(),
            Self::Pipe(pipe) => pipe.abort(),
        }
    }
}

/// Reads into memory that nobody has initialised, which is what makes a pooled buffer free.
fn poll_read(
    io: &mut (impl AsyncRead + Unpin),
    task: &mut Context<'_>,
    buffer: &mut impl bytes::BufMut,
) -> Poll<io::Result<usize>> {
    let read = std::pin::pin!(io.read_buf(buffer));
    read.poll(task)
}
