//! What hyper takes for the socket: a clean transcript of the requests, one at a time, and a place to put answers.
//!
//! * Reading: `pw-h1` judges each head and each piece of a body; hyper sees `GET / HTTP/1.1` with nothing but framing, and every
//!   body as chunks. A refusal is written here, behind the answers before it, and hyper is told that the client ended.
//! * Writing: hyper writes status line, framing and date; the fields of the reply are put between, as they are. Small answers
//!   are gathered and flushing is left to the connection's task, which flushes once hyper can't go on. Pipelined requests are so
//!   answered in one write, and an answer never waits for a handler of a later request.
//! * While hyper holds a part of an answer that could not be taken from it, it is shown no other head.
//! * What a stream gives is gathered, too, as long as it does not pend; then it leaves at once. hyper, which knows no trailers that were
//!   not announced, writes the end of the chunks, and the trailers are put there.
//! * A body that nobody read is ended for hyper at once and dropped from the socket before the next head.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use pw_h1::encode;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::wire::{Wire, lock};

/// Answers up to this size are copied behind those that wait; larger ones are written through.
const GATHERED: usize = 4 * 1024;
/// How much of a stream is gathered: what a client does not take holds the stream up.
const STREAMED: usize = 16 * 1024;

/// See the module.
pub(crate) struct Gate<I>(pub(crate) Arc<Mutex<Wire<I>>>);

impl<I: AsyncRead + AsyncWrite + Unpin> Read for Gate<I> {
    fn poll_read(self: Pin<&mut Self>, task: &mut Context<'_>, mut room: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        lock(&self.0).poll_transcript(task, room.remaining(), |bytes| room.put_slice(bytes))
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> Write for Gate<I> {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(task, &[IoSlice::new(bytes)])
    }

    /// Content is handed over where it is, beside the head that hyper wrote: large content is never copied.
    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wire = &mut *lock(&self.0);
        let length = slices.iter().map(|slice| slice.len()).sum();
        let taken = poll_take(wire, task, slices, length);
        let all = matches!(&taken, Poll::Ready(Ok(count)) if *count == length);
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

/// Takes what hyper writes, `length` bytes, which is all it holds, or a part of it.
fn poll_take<I: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<I>,
    task: &mut Context<'_>,
    mut slices: &[IoSlice<'_>],
    mut length: usize,
) -> Poll<io::Result<usize>> {
    if let Some(trailers) = wire.flow.as_ref().and_then(|flow| flow.trailers())
        && let Some((last, before)) = slices.split_last()
        && **last == *encode::LAST_CHUNK
    {
        if before.is_empty() {
            encode::write_last_chunk(wire.output.buffer(), Some(trailers));
            return Poll::Ready(Ok(length));
        }
        // It comes by itself, and the trailers with it.
        (slices, length) = (before, length - last.len());
    }
    let room = wire.config().limits.output;
    let full = match wire.flow {
        None => room,
        Some(_) if wire.stalled.is_some() => 0,
        Some(_) => room.min(STREAMED),
    };
    if wire.output.len() + length.min(GATHERED) > full {
        ready!(wire.poll_flush(task))?;
    }
    // A head is in one piece, and the first.
    let (first, others) = slices.split_first().expect("hyper writes something");
    let begun = if wire.fields.is_empty() {
        0
    } else {
        wire.put_fields(first)
    };
    if length - begun > GATHERED {
        return match begun {
            0 => wire.poll_write_through(task, slices),
            _ => Poll::Ready(Ok(begun)),
        };
    }
    let output = wire.output.buffer();
    output.extend_from_slice(&first[begun..]);
    others.iter().for_each(|slice| output.extend_from_slice(slice));
    Poll::Ready(Ok(length))
}
