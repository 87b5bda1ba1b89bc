//! Clients that send as much as they can of what leads to nothing: others have their turn, and no core is kept busy.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use crate::support::{Client, echo, frame, open, open_with, task_of};
use bytes::Bytes;
use pw_core::{Stopping, Upgraded};
use pw_ws::WebSocket;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::time::Instant;

/// How many frames that lead to nothing are read in a second.
const A_SECOND: usize = 1000;

/// Sends frames and then one message, and says how long it took until the last was answered. Whatever comes back is read meanwhile.
async fn seconds_for(client: Client, frames: &[u8]) -> u64 {
    let start = Instant::now();
    let (mut read, mut write) = tokio::io::split(client.stream);
    let all = [frames, &frame(0x88, &1000_u16.to_be_bytes())].concat();
    let writing = tokio::spawn(async move { write.write_all(&all).await.map(|()| write) });
    let mut answers = Vec::new();
    read.read_to_end(&mut answers).await.expect("a pipe can be read");
    writing.await.expect("it does not panic").expect("all is read");
    assert!(answers.ends_with(b"\x88\x02\x03\xe8"), "a close frame is the last");
    start.elapsed().as_secs()
}

#[tokio::test(start_paused = true)]
async fn pings_without_end_are_read_at_leisure() {
    for ping in [frame(0x89, b""), frame(0x89, b"are you there?"), frame(0x8a, b"")] {
        let client = open(WebSocket::options(), echo);
        let seconds = seconds_for(client, &ping.repeat(10 * A_SECOND + A_SECOND / 2)).await;
        assert_eq!(seconds, 10, "{ping:x?}");
    }
}

#[tokio::test(start_paused = true)]
async fn so_are_pieces_without_content_and_messages_for_nobody() {
    let pieces = [
        frame(0x01, b""),
        frame(0x00, b"").repeat(3 * A_SECOND),
        frame(0x80, b"end"),
    ]
    .concat();
    assert_eq!(seconds_for(open(WebSocket::options(), echo), &pieces).await, 3);
    let deaf = open(WebSocket::options(), async |socket: WebSocket| {
        let (sender, _) = socket.split();
        sender.closed().await;
        Ok(())
    });
    assert_eq!(seconds_for(deaf, &frame(0x81, b"x").repeat(3 * A_SECOND + 1)).await, 3);
}

#[tokio::test(start_paused = true)]
async fn a_few_pings_and_any_messages_are_read_at_once() {
    let pings = frame(0x89, b"x").repeat(A_SECOND - 1);
    assert_eq!(seconds_for(open(WebSocket::options(), echo), &pings).await, 0);
    let messages = frame(0x81, b"x").repeat(10 * A_SECOND);
    assert_eq!(seconds_for(open(WebSocket::options(), echo), &messages).await, 0);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_its_pongs_is_not_idle() {
    // Longer than a client may be silent.
    let pings = frame(0x89, b"").repeat(70 * A_SECOND);
    let client = open_with(WebSocket::options(), 1 << 20, b"", echo);
    assert_eq!(seconds_for(client, &pings).await, 70);
}

/// A client that is always ready, with ever the same bytes, until the end that keeps a failed test from running for ever.
struct Endless {
    bytes: Vec<u8>,
    reads: Arc<AtomicUsize>,
}

impl AsyncRead for Endless {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.reads.fetch_add(1, Ordering::Relaxed) < 10_000 {
            let count = room.remaining() / self.bytes.len();
            room.put_slice(&self.bytes.repeat(count));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Endless {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn others_of_the_thread_have_their_turn() {
    // Neither has content enough to end at a limit.
    for bytes in [frame(0x89, b""), [frame(0x01, b"x"), frame(0x80, b"")].concat()] {
        let reads = Arc::new(AtomicUsize::new(0));
        let endless = Endless {
            bytes,
            reads: Arc::clone(&reads),
        };
        let task = task_of(WebSocket::options(), async |mut socket: WebSocket| {
            while socket.receive().await?.is_some() {}
            Ok(())
        });
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        let flood = tokio::spawn(task.run(Upgraded::new(endless, Bytes::new(), peer, Stopping::default())));
        for _ in 0..10 {
            let before = reads.load(Ordering::Relaxed);
            tokio::task::yield_now().await;
            let read = reads.load(Ordering::Relaxed) - before;
            assert!(read <= 17, "{read} reads before anybody else had a turn");
        }
        flood.abort();
    }
}
