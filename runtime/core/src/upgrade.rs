//! A connection that leaves HTTP: what a WebSocket is made of.

use std::fmt;
use std::future::Future;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::{Exchange, Parts, Stopping};

/// An exchange whose connection can be taken over: HTTP/1.1's `Upgrade`, or HTTP/2's extended CONNECT (RFC 8441).
///
/// A handler asks for it as `&mut impl Upgrade`, sees to it that the client offers the protocol, and calls [`upgrade`](Self::upgrade):
///
/// ```
/// use pw_core::{FieldValue, Problem, Upgrade, Upgraded};
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
/// async fn shout(cx: &mut impl Upgrade) -> Result<(), Problem> {
///     cx.reply().insert(http::header::UPGRADE, FieldValue::from_static("shout"));
///     cx.upgrade(async |mut stream: Upgraded| {
///         let mut text = [0; 100];
///         while let Ok(count @ 1..) = stream.read(&mut text).await {
///             text[..count].make_ascii_uppercase();
///             if stream.write_all(&text[..count]).await.is_err() {
///                 break;
///             }
///         }
///     });
///     Ok(())
/// }
/// ```
///
/// Wrong: `cx: &mut impl Exchange` in a handler that opens a WebSocket. What is asked for in the signature is all there is; write
/// `cx: &mut impl Upgrade`, which every transport has.
#[diagnostic::on_unimplemented(
    message = "the connection of `{Self}` can't be taken over, as a WebSocket asks for",
    label = "not `Upgrade`",
    note = "take `cx: &mut impl Upgrade` in the route, and in what it calls, where it says `&mut impl Exchange`: every transport has it, \
            fast over HTTP/1.1 and hyper over HTTP/1.1 and HTTP/2"
)]
pub trait Upgrade: Exchange {
    /// Answers 101 (HTTP/2: 200), and hands the connection to `task` once that has left. What the reply says beside stays: the
    /// fields `upgrade` and those of the protocol. Whatever clears the reply, an error among others, takes this back.
    fn upgrade<T, F>(&mut self, task: T)
    where
        T: FnOnce(Upgraded) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        self.reply()
            .set_upgrade(UpgradeTask(Box::new(move |stream| Box::pin(task(stream)))));
    }
}

/// The body of a transport whose connections can be taken over.
pub trait Upgradable {}

impl<B: crate::Body + Upgradable + 'static> Upgrade for Parts<B> {}

/// What runs on a connection that was taken over, as transports take it out of a reply.
#[expect(clippy::type_complexity, reason = "it is named here, once")]
pub struct UpgradeTask(Box<dyn FnOnce(Upgraded) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>);

impl UpgradeTask {
    /// Runs it.
    pub fn run(self, stream: Upgraded) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        (self.0)(stream)
    }
}

impl fmt::Debug for UpgradeTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeTask").finish_non_exhaustive()
    }
}

/// The two directions of a connection.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// A connection that was taken over: bytes, both ways. No limit and no timeout of HTTP holds any more.
pub struct Upgraded {
    stream: Box<dyn Duplex>,
    /// What had come behind the request.
    ahead: Bytes,
    peer: SocketAddr,
    stopping: Stopping,
}

impl Upgraded {
    /// Of a stream, and what was read of it already. For transports.
    pub fn new(stream: impl Duplex + 'static, ahead: Bytes, peer: SocketAddr, stopping: Stopping) -> Self {
        Self {
            stream: Box::new(stream),
            ahead,
            peer,
            stopping,
        }
    }

    /// The other end.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// When the server goes down: it waits for this connection until [`Timeouts::shutdown`](crate::Timeouts::shutdown).
    pub fn stopping(&self) -> &Stopping {
        &self.stopping
    }
}

impl fmt::Debug for Upgraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upgraded")
            .field("peer", &self.peer)
            .field("ahead", &self.ahead.len())
            .finish_non_exhaustive()
    }
}

impl AsyncRead for Upgraded {
    fn poll_read(mut self: Pin<&mut Self>, task: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.ahead.is_empty() {
            return Pin::new(&mut self.stream).poll_read(task, room);
        }
        let count = self.ahead.len().min(room.remaining());
        room.put_slice(&self.ahead[..count]);
        self.ahead.advance(count);
        if self.ahead.is_empty() {
            // Not the buffer it was cut from.
            self.ahead = Bytes::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Upgraded {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(task, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(task, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}
