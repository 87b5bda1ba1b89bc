//! A stream of HTTP/2 that has left HTTP (RFC 8441), as the bytes that it carries.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::rt::{ReadBuf, Write};
use hyper::upgrade::{OnUpgrade, Upgraded};
use pw_core::UpgradeTask;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use crate::Config;
use crate::turns::Turn;

/// The most bytes that are handed over at once: hyper copies them.
const PIECE: usize = 64 * 1024;

/// What a stream keeps of its connection.
pub(crate) struct Kept {
    pub(crate) peer: SocketAddr,
    pub(crate) config: Arc<Config>,
    /// It is our turn for as long as the stream lasts: no timeout of HTTP holds any more.
    pub(crate) turn: Turn,
    /// The connection's task ends when the last of these is dropped.
    pub(crate) alive: mpsc::Sender<()>,
}

/// Runs what a stream is upgraded to, in a task of its own, once its answer has left.
pub(crate) fn spawn((upgrade, task): (OnUpgrade, UpgradeTask), kept: Kept) {
    tokio::spawn(async move {
        // Otherwise the client has gone before.
        if let Ok(upgraded) = upgrade.await {
            let stopping = kept.config.stopping.clone();
            let stream = pw_core::Upgraded::new(Tunnel(upgraded), Bytes::new(), kept.peer, stopping);
            task.run(stream).await;
        }
        drop((kept.turn, kept.alive));
    });
}

/// See the module.
struct Tunnel(Upgraded);

impl AsyncRead for Tunnel {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        room: &mut tokio::io::ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut read = ReadBuf::new(room.initialize_unfilled());
        ready!(hyper::rt::Read::poll_read(Pin::new(&mut self.0), task, read.unfilled()))?;
        let count = read.filled().len();
        room.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Tunnel {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let bytes = &bytes[..bytes.len().min(PIECE)];
        Pin::new(&mut self.0).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(task)
    }
}
