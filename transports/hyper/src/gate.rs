//! What hyper takes for the socket: a clean transcript of the requests, one at a time, and a place to put answers.
//!
//! * Reading: `pw-h1` judges each head and each piece of a body; hyper sees `GET / HTTP/1.1` with nothing but framing, and every
//!   body as chunks. A refusal is written here, behind the answers before it, and hyper is told that the client ended.
//! * Writing: hyper writes status line, framing and date; the fields of the reply are put between, as they are. Small answers
//!   are gathered and flushing is left to the connection's task, which flushes once hyper can't go on. Pipelined requests are so
//!   answered in one write, and an answer never waits for a handler of a later request.
//! * While hyper holds a part of an answer that could not be taken from it, it is shown no other head.
//! * A body that nobody read is ended for hyper at once and dropped from the socket before the next head.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::wire::{Wire, lock};

/// Answers up to this size are copied behind those that wait; larger ones are written through.
const GATHERED: usize = 16 * 1024;

/// See the module.
pub(crate) struct Gate<I>(pub(crate) Arc<Mutex<Wire<I>>>);

impl<I: AsyncRead + AsyncWrite + Unpin> Read for Gate<I> {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, mut room: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        lock(&self.0).poll_transcript(task, room.remaining(), |bytes| room.put_slice(bytes))
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> Write for Gate<I> {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let wire = &mut *lock(&self.0);
        let taken = poll_take(wire, task, bytes);
        let all = matches!(&taken, Poll::Ready(Ok(count)) if *count == bytes.len());
        wire.note_behind(!all, task);
        taken
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Takes what hyper writes, which is all it holds, or a part of it.
fn poll_take<I: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<I>,
    task: &mut Context<'_>,
    bytes: &[u8],
) -> Poll<io::Result<usize>> {
    if wire.output.len() + bytes.len().min(GATHERED) > wire.config().limits.output {
        ready!(wire.poll_flush(task))?;
    }
    let begun = if wire.fields.is_empty() {
        0
    } else {
        wire.put_fields(bytes)
    };
    let rest = &bytes[begun..];
    if rest.len() > GATHERED {
        return match begun {
            0 => wire.poll_write_through(task, rest),
            _ => Poll::Ready(Ok(begun)),
        };
    }
    wire.output.buffer().extend_from_slice(rest);
    Poll::Ready(Ok(bytes.len()))
}
