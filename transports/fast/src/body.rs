//! The body of a request, in a buffer of its own, read when somebody asks.

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::mem;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::BufMut;
use pw_core::Problem;
use pw_core::problem::Kind;
use pw_h1::{BodyDecoder, Framing, Rest, Verdict, encode};

use crate::buffers::{LARGEST, SMALL};
use crate::clock::Moment;
use crate::wire::Wire;

/// The body of a request on this transport.
pub struct RequestBody {
    wire: Rc<RefCell<Wire>>,
    decoder: BodyDecoder,
    declared: Option<u64>,
    buffer: Vec<u8>,
    limit: usize,
    progress: Progress,
    /// The client waits for 100 before it sends anything.
    expects_continue: bool,
    /// Somebody has begun to read: the client was told, and there is a buffer.
    begun: bool,
    /// Since it was first waited for by who reads it now.
    pace: Option<Pace>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Progress {
    /// All of it is in the buffer.
    #[default]
    Whole,
    /// None or some of it is in the buffer.
    Partial,
    /// It can't be had any more; a second read must not look like a short body.
    Failed(&'static Kind),
}

/// How fast it comes.
#[derive(Clone, Copy, Debug)]
struct Pace {
    begun: Moment,
    last: Moment,
}

impl RequestBody {
    pub(crate) fn new(wire: Rc<RefCell<Wire>>) -> Self {
        Self {
            wire,
            decoder: BodyDecoder::new(Framing::None),
            declared: None,
            buffer: Vec::new(),
            limit: 0,
            progress: Progress::Whole,
            expects_continue: false,
            begun: false,
            pace: None,
        }
    }

    /// The body of a head that was accepted, which may have at most `limit` bytes.
    pub(crate) fn expect(&mut self, verdict: &Verdict, limit: usize) {
        debug_assert!(self.buffer.is_empty(), "the last body is gone");
        self.declared = match verdict.framing {
            Framing::None | Framing::Length(0) => return,
            Framing::Length(length) => Some(length),
            Framing::Chunked => None,
        };
        self.decoder = BodyDecoder::new(verdict.framing);
        self.limit = limit;
        self.progress = Progress::Partial;
        self.wire.borrow_mut().in_body = true;
        self.expects_continue = verdict.expect_continue;
    }

    /// What is left to come once the exchange is over.
    pub(crate) fn rest(&self) -> Rest {
        match self.progress {
            Progress::Whole => Rest::Nothing,
            Progress::Partial if self.buffer.is_empty() => Rest::Unread(self.declared),
            Progress::Partial | Progress::Failed(_) => Rest::Broken,
        }
    }

    /// Drops what is left of a body nobody read, at most `left` bytes more. Ready: whether the connection is in step.
    pub(crate) fn poll_drop(&mut self, task: &mut Context<'_>, left: &mut usize) -> Poll<bool> {
        let wire = &mut *self.wire.borrow_mut();
        loop {
            let step = match self.decoder.decode(wire.input.bytes(), &wire.shared.config.limits) {
                Ok(step) if step.consumed <= *left => step,
                _ => return Poll::Ready(false),
            };
            *left -= step.consumed;
            wire.input.consume(step.consumed);
            if step.end {
                wire.end_body();
                return Poll::Ready(true);
            }
            if step.consumed == 0 {
                match wire.poll_fill(task) {
                    Poll::Ready(Ok(count)) if count > 0 => {}
                    Poll::Ready(_) => return Poll::Ready(false),
                    Poll::Pending => return Poll::Pending,
                }
            }
        }
    }

    /// Makes it as new: a buffer that has grown goes back.
    pub(crate) fn recycle(&mut self) {
        self.progress = Progress::Whole;
        if mem::take(&mut self.begun) {
            let buffer = mem::take(&mut self.buffer);
            self.wire.borrow().shared.buffers.give_back(buffer);
        }
    }

    /// Gathers the whole body in the buffer.
    fn poll_gather(&mut self, task: &mut Context<'_>, limit: usize) -> Poll<Result<(), Problem>> {
        match self.poll_whole(task, limit) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(())) => {
                self.progress = Progress::Whole;
                self.wire.borrow_mut().end_body();
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(problem)) => {
                self.progress = Progress::Failed(problem.kind());
                Poll::Ready(Err(problem.closing()))
            }
        }
    }

    fn poll_whole(&mut self, task: &mut Context<'_>, limit: usize) -> Poll<Result<(), Problem>> {
        let wire = &mut *self.wire.borrow_mut();
        let shared = wire.shared.clone();
        let limits = &shared.config.limits;
        if !mem::replace(&mut self.begun, true) {
            if self.expects_continue {
                wire.output(encode::CONTINUE.len()).extend_from_slice(encode::CONTINUE);
            }
            self.buffer = shared.buffers.take(
                self.declared
                    .map_or(SMALL, |length| length.min(LARGEST as u64) as usize),
            );
        }
        let mut progress = false;
        loop {
            let step = match self.decoder.decode(wire.input.bytes(), limits) {
                Ok(step) => step,
                Err(refusal) => return Poll::Ready(Err(refusal.problem())),
            };
            let data = &wire.input.bytes()[step.data.clone()];
            let known = (self.buffer.len() + data.len()) as u64;
            // A chunk that says it is too large for the route is refused before it comes; for this reader alone, once it has.
            let declared = known.saturating_add(self.decoder.remaining_declared());
            if known > limit as u64 || declared > self.limit as u64 {
                return Poll::Ready(Err(Problem::body_too_large(limit)));
            }
            shared.buffers.make_room(&mut self.buffer, data.len());
            self.buffer.extend_from_slice(data);
            wire.input.consume(step.consumed);
            if step.end {
                return Poll::Ready(Ok(()));
            }
            if step.consumed > 0 {
                progress = true;
                continue;
            }
            // What was answered, and 100, are on their way before anything is waited for.
            if let Poll::Ready(Err(_)) = wire.poll_flush(task) {
                return Poll::Ready(Err(Problem::body_cut_short()));
            }
            let filled = match self.declared {
                // Straight to where it belongs, and no byte of the next request with it.
                Some(_) => fill_declared(wire, task, &mut self.decoder, &mut self.buffer, limits),
                None => wire.poll_fill(task),
            };
            match filled {
                Poll::Ready(Ok(0)) => return Poll::Ready(Err(Problem::body_cut_short())),
                Poll::Ready(Ok(_)) if self.decoder.is_end() => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(_)) => progress = true,
                Poll::Ready(Err(_)) => return Poll::Ready(Err(Problem::body_cut_short())),
                Poll::Pending => {
                    let pace = self.pace.get_or_insert_with(|| {
                        let now = shared.clock.read();
                        Pace { begun: now, last: now }
                    });
                    if progress {
                        pace.last = shared.clock.now();
                    }
                    let due = shared
                        .config
                        .timeouts
                        .body_due(pace.last.since(pace.begun), self.buffer.len() as u64);
                    return wire
                        .poll_until_late(pace.begun.after(due), task)
                        .map(|()| Err(Problem::body_too_slow()));
                }
            }
        }
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the connection behind it, which knows the worker, which knows this.
        f.debug_struct("RequestBody")
            .field("progress", &self.progress)
            .field("declared", &self.declared)
            .field("read", &self.buffer.len())
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl pw_core::Body for RequestBody {
    async fn read(&mut self, limit: usize) -> Result<&[u8], Problem> {
        let limit = limit.min(self.limit);
        match self.progress {
            Progress::Whole => {
                if self.buffer.len() > limit {
                    return Err(Problem::body_too_large(limit));
                }
            }
            Progress::Failed(kind) => return Err(Problem::of(kind).closing()),
            Progress::Partial => {
                // Refused before a byte of it is read; whether the connection survives depends on how much it is.
                if self.declared.is_some_and(|declared| declared > limit as u64) {
                    return Err(Problem::body_too_large(limit));
                }
                // If it was read before, in part, nobody has waited for it since.
                self.pace = None;
                poll_fn(|task| self.poll_gather(task, limit)).await?;
            }
        }
        Ok(&self.buffer)
    }
}

/// Reads what is to come of a body of known length behind what has come of it.
fn fill_declared(
    wire: &mut Wire,
    task: &mut Context<'_>,
    decoder: &mut BodyDecoder,
    buffer: &mut Vec<u8>,
    limits: &pw_core::Limits,
) -> Poll<io::Result<usize>> {
    let come = buffer.len();
    wire.shared.buffers.make_room(buffer, 1);
    let room = (buffer.capacity() - come).min(usize::try_from(decoder.remaining_declared()).unwrap_or(usize::MAX));
    let filled = wire.poll_read(task, &mut (&mut *buffer).limit(room));
    if matches!(filled, Poll::Ready(Ok(count)) if count > 0) {
        let step = decoder.decode(&buffer[come..], limits);
        debug_assert!(
            step.is_ok_and(|step| step.data.len() == buffer.len() - come),
            "it is data and nothing else"
        );
    }
    filled
}
