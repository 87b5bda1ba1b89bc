//! Content that is not in the reply's buffer, on its way: large bytes from where they are, streams as they come, files through the
//! kernel. No more is held than a client takes.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::Body;
use pw_core::{BoxError, Content, ContentStream, FilePart};
use pw_h1::encode::{self, Payload};

use crate::buffers::LARGEST;
use crate::wire::Wire;

/// Content up to this size is copied behind its head; more is written from where it is.
pub(crate) const COPIED: usize = 16 << 10;

/// Why content was not sent to its end.
#[derive(Debug)]
pub(crate) enum Lost {
    /// The client is gone, or has taken nothing for too long.
    Client,
    /// Where it came from: a stream or a file.
    Source(BoxError),
}

impl Lost {
    fn source(error: impl Into<BoxError>) -> Self {
        Self::Source(error.into())
    }
}

/// Sends content whose head is among the output. `trailers`: the client takes them.
pub(crate) async fn send(wire: &RefCell<Wire>, content: Content, payload: Payload, trailers: bool) -> Result<(), Lost> {
    match content {
        Content::Bytes(bytes) => send_bytes(wire, &bytes).await,
        Content::Stream(mut stream) => {
            stream.begin(&wire.borrow().shared.config.stopping);
            let mut sending = Sending {
                stream,
                payload,
                left: match payload {
                    Payload::Sized(length) => length,
                    _ => u64::MAX,
                },
                trailers,
                piece: Bytes::new(),
                sent: 0,
                over: None,
            };
            poll_fn(|task| sending.poll(&mut wire.borrow_mut(), task)).await
        }
        Content::File(part) => send_file(wire, part).await,
    }
}

/// Sends bytes from where they are.
pub(crate) async fn send_bytes(wire: &RefCell<Wire>, bytes: &[u8]) -> Result<(), Lost> {
    let mut sent = 0;
    poll_fn(|task| wire.borrow_mut().poll_write_all(task, bytes, &mut sent))
        .await
        .map_err(|_| Lost::Client)
}

/// A stream, and what it gave last.
struct Sending {
    stream: ContentStream,
    payload: Payload,
    /// Bytes it still has to give, where it said how many.
    left: u64,
    trailers: bool,
    piece: Bytes,
    sent: usize,
    /// It is asked for nothing more; what it gave before is written first.
    over: Option<Result<(), Lost>>,
}

impl Sending {
    // Not in the batch, whose code is that of usual answers.
    #[inline(never)]
    fn poll(&mut self, wire: &mut Wire, task: &mut Context<'_>) -> Poll<Result<(), Lost>> {
        loop {
            ready!(self.poll_piece(wire, task))?;
            if let Some(over) = self.over.take() {
                if over.is_err() && wire.poll_flush(task).is_pending() {
                    self.over = Some(over);
                    return Poll::Pending;
                }
                return Poll::Ready(over);
            }
            // Small pieces that are there at once leave together; what a client does not take holds up the stream.
            if wire.waiting() > COPIED {
                ready!(wire.poll_flush(task)).map_err(|_| Lost::Client)?;
            }
            match Pin::new(&mut self.stream).poll_frame(task) {
                Poll::Pending => return self.poll_between(wire, task),
                Poll::Ready(None) => return Poll::Ready(self.end(wire, None)),
                Poll::Ready(Some(Err(error))) => self.over = Some(Err(Lost::Source(error))),
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) if data.is_empty() => {}
                    Ok(data) => {
                        // If it is known to have more than it said, the client is not given what would make it whole.
                        let end = if data.len() as u64 == self.left {
                            self.poll_end(task)
                        } else {
                            Ok(false)
                        };
                        match end.and_then(|end| self.begin(wire, data).map(|()| end)) {
                            Ok(false) => {}
                            Ok(true) => self.over = Some(Ok(())),
                            Err(lost) => self.over = Some(Err(lost)),
                        }
                    }
                    Err(frame) => {
                        let trailers = frame.into_trailers().ok();
                        return Poll::Ready(self.end(wire, trailers.as_ref()));
                    }
                },
            }
        }
    }

    /// Whether it has given all that it said, so that nothing is to be waited for. An error: it has more, or breaks off.
    fn poll_end(&mut self, task: &mut Context<'_>) -> Result<bool, Lost> {
        loop {
            match Pin::new(&mut self.stream).poll_frame(task) {
                Poll::Ready(Some(Err(error))) => return Err(Lost::Source(error)),
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) if data.is_empty() => {}
                    Ok(_) => return Err(Lost::source(MORE)),
                    Err(_) => return Ok(true),
                },
                Poll::Ready(None) | Poll::Pending => return Ok(true),
            }
        }
    }

    /// Puts a piece behind what waits, if it is small; otherwise it is written from where it is.
    fn begin(&mut self, wire: &mut Wire, data: Bytes) -> Result<(), Lost> {
        let length = data.len();
        self.left = match self.left.checked_sub(length as u64) {
            Some(left) => left,
            None => return Err(Lost::source(MORE)),
        };
        let copied = if length > COPIED { 0 } else { length };
        let out = wire.output(copied + FRAME);
        if self.payload == Payload::Chunked {
            encode::write_chunk_size(out, length);
        }
        if copied == 0 {
            (self.piece, self.sent) = (data, 0);
            return Ok(());
        }
        out.extend_from_slice(&data);
        self.end_piece(wire);
        Ok(())
    }

    fn end_piece(&self, wire: &mut Wire) {
        if self.payload == Payload::Chunked {
            wire.output(FRAME).extend_from_slice(encode::CHUNK_END);
        }
    }

    /// Writes the rest of a large piece.
    fn poll_piece(&mut self, wire: &mut Wire, task: &mut Context<'_>) -> Poll<Result<(), Lost>> {
        if self.piece.is_empty() {
            return Poll::Ready(Ok(()));
        }
        if ready!(wire.poll_write_all(task, &self.piece, &mut self.sent)).is_err() {
            return Poll::Ready(Err(Lost::Client));
        }
        self.piece = Bytes::new();
        self.end_piece(wire);
        Poll::Ready(Ok(()))
    }

    /// What goes on while the stream has nothing to give: what it gave before is written, and a client that has gone is noticed. One
    /// that has shut its side counts as gone then: it could not be told apart for as long as nothing is sent.
    fn poll_between(&self, wire: &mut Wire, task: &mut Context<'_>) -> Poll<Result<(), Lost>> {
        let flushed = match wire.poll_flush(task) {
            Poll::Ready(Err(_)) => return Poll::Ready(Err(Lost::Client)),
            flushed => flushed.is_ready(),
        };
        if wire.poll_ahead(task).is_err() || (flushed && wire.ended) {
            return Poll::Ready(Err(Lost::Client));
        }
        wire.rest();
        Poll::Pending
    }

    fn end(&self, wire: &mut Wire, trailers: Option<&HeaderMap>) -> Result<(), Lost> {
        match self.payload {
            Payload::Sized(_) if self.left > 0 => Err(Lost::source("it gives fewer bytes than it said")),
            Payload::Chunked => {
                let trailers = trailers.filter(|_| self.trailers);
                encode::write_last_chunk(wire.output(FRAME), trailers);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

const MORE: &str = "it gives more bytes than it said";

/// What surrounds a piece, at most.
const FRAME: usize = 32;

/// How much of a file the kernel is asked to send at once: others have their turn.
const TURN: u64 = 4 << 20;

/// From this size on a file's first page leaves with its head, by a write of its own; a shorter one's head waits for what `sendfile` adds
/// (MSG_MORE). With its client on the same machine, the latter costs the server a quarter less for 200 kB and twice as much for 2 MB: by
/// when the client is woken, and whose time it is that the kernel hands bytes over in.
const LONG: u64 = 512 << 10;
const PAGE: usize = 4 << 10;

async fn send_file(wire: &RefCell<Wire>, mut part: FilePart) -> Result<(), Lost> {
    let by_reference = part.length() > COPIED as u64 && !part.file().is_copied();
    if by_reference && wire.borrow().can_send_files() {
        let long = part.length() >= LONG;
        if long {
            read(&mut wire.borrow_mut(), &mut part, PAGE)?;
        }
        let sent = poll_fn(|task| {
            let wire = &mut wire.borrow_mut();
            if long {
                ready!(wire.poll_flush(task)).map_err(|_| Lost::Client)?;
            }
            poll_send_file(wire, task, &mut part)
        })
        .await;
        match sent {
            Err(Lost::Source(error)) if is_unsupported(&*error) => {}
            sent => return sent,
        }
    }
    while part.length() > 0 {
        read(&mut wire.borrow_mut(), &mut part, LARGEST)?;
        // Before any of it leaves.
        check(&part)?;
        if wire.borrow().waiting() > COPIED {
            poll_fn(|task| wire.borrow_mut().poll_flush(task))
                .await
                .map_err(|_| Lost::Client)?;
        }
    }
    Ok(())
}

fn is_unsupported(error: &(dyn std::error::Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::Unsupported)
}

/// What the kernel was given here it does not copy: it sends that as it is when it leaves. So a file that is written to or cut in place
/// may reach a slow client as a mixture; what has changed by the end of a call is seen.
#[inline(never)]
fn poll_send_file(wire: &mut Wire, task: &mut Context<'_>, part: &mut FilePart) -> Poll<Result<(), Lost>> {
    while part.length() > 0 {
        let count = part.length().min(TURN) as usize;
        let sent = match ready!(wire.poll_send_file(task, part.file().file(), part.start(), count)) {
            Ok(0) => return Poll::Ready(Err(Lost::source(SHRUNK))),
            Ok(sent) => sent as u64,
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Poll::Ready(Err(Lost::source(error))),
            Err(_) => return Poll::Ready(Err(Lost::Client)),
        };
        part.advance(sent);
        check(part)?;
        if sent == TURN {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
    }
    Poll::Ready(Ok(()))
}

const SHRUNK: &str = "the file has become shorter while it was sent";

/// A mixture of what a file was and is must not be taken for the file.
fn check(part: &FilePart) -> Result<(), Lost> {
    match part.file().is_unchanged() {
        Ok(true) => Ok(()),
        Ok(false) => Err(Lost::source("the file has changed while it was sent")),
        Err(error) => Err(Lost::source(error)),
    }
}

/// Reads some of a file behind what waits, at most this much.
#[inline(never)]
fn read(wire: &mut Wire, part: &mut FilePart, most: usize) -> Result<(), Lost> {
    let count = part.length().min(most as u64) as usize;
    let out = wire.output(count);
    let from = out.len();
    out.resize(from + count, 0);
    let read = part.file().read_at(&mut out[from..], part.start());
    out.truncate(from + *read.as_ref().unwrap_or(&0));
    match read {
        Ok(0) => Err(Lost::source(SHRUNK)),
        Ok(read) => {
            part.advance(read as u64);
            Ok(())
        }
        Err(error) => Err(Lost::source(error)),
    }
}
