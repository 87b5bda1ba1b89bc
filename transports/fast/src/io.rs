//! What a connection reads and writes: a socket, or a pipe in memory for tests.
//!
//! One type rather than a parameter: an exchange holds its connection, and generated code names the exchange. A pipe is behind a
//! trait object, so that only what makes one carries its code.

use std::fs::File;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pw_server::Abort;
#[cfg(target_os = "linux")]
use tokio::io::Interest;
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

    /// Whether it is known to the kernel.
    pub(crate) fn is_socket(&self) -> bool {
        matches!(self, Self::Socket(_))
    }

    /// Lets the kernel send from a file, from `offset` on. Ready: how much it took; nothing is the end of the file.
    ///
    /// # Errors
    /// The operating system's, and [`io::ErrorKind::Unsupported`] for what can't be sent so.
    #[cfg(target_os = "linux")]
    pub(crate) fn poll_send_file(
        &self,
        task: &mut Context<'_>,
        file: &File,
        mut offset: u64,
        count: usize,
    ) -> Poll<io::Result<usize>> {
        let Self::Socket(socket) = self else {
            return Poll::Ready(Err(io::ErrorKind::Unsupported.into()));
        };
        loop {
            ready!(socket.poll_write_ready(task))?;
            let sent = socket.try_io(Interest::WRITABLE, || {
                Ok(rustix::fs::sendfile(socket, file, Some(&mut offset), count)?)
            });
            match sent {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Of what not every file system can do.
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                    return Poll::Ready(Err(io::ErrorKind::Unsupported.into()));
                }
                sent => return Poll::Ready(sent),
            }
        }
    }

    /// Elsewhere the file is read.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn poll_send_file(&self, _: &mut Context<'_>, _: &File, _: u64, _: usize) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::Unsupported.into()))
    }

    /// Writes what more follows at once, so that the kernel may wait for that.
    #[cfg(target_os = "linux")]
    pub(crate) fn poll_write_corked(&mut self, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        use rustix::net::{SendFlags, send};
        let Self::Socket(socket) = self else {
            return self.poll_write(task, bytes);
        };
        loop {
            ready!(socket.poll_write_ready(task))?;
            let flags = SendFlags::MORE | SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            let sent = socket.try_io(Interest::WRITABLE, || Ok(send(&*socket, bytes, flags)?));
            match sent {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                sent => return Poll::Ready(sent),
            }
        }
    }

    /// Elsewhere it is written as anything else.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn poll_write_corked(&mut self, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write(task, bytes)
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

/// For what a connection is upgraded to.
impl AsyncRead for Io {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Socket(socket) => Pin::new(socket).poll_read(task, room),
            Self::Pipe(pipe) => Pin::new(pipe).poll_read(task, room),
        }
    }
}

/// For what a connection is upgraded to.
impl AsyncWrite for Io {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write(task, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write_vectored(task, slices)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Neither a socket nor a pipe keeps anything back.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll_shutdown(task)
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
