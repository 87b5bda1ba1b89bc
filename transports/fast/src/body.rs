//! The body of a request, in a buffer of its own, read when somebody asks.

use std::cell::RefCell;
use std::fmt;
use std::future::poll_fn;
use std::io;
use std::mem;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::BufMut;
use pw_core::problem::Kind;
use pw_core::{Problem, Trailers};
use pw_h1::{BodyDecoder, Framing, Rest, Verdict, encode};

use crate::buffers::{LARGEST, SMALL, wipe};
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
    /// Bytes that were given in pieces. Of a body that was read before: all of it.
    given: u64,
    trailers: Trailers,
}

#[derive(Clone, Copy, Debug, Default)]
enum Progress {
    /// All of it is in the buffer.
    #[default]
    Whole,
    /// None or some of it is in the buffer.
    Partial,
    /// It is taken piece by piece; the last one is in the buffer.
    Pieces,
    /// All pieces were taken.
    Taken,
    /// It can't be had any more; a second read must not look like a short body.
    Failed(&'static Kind),
}

/// How fast it comes, while it is waited for.
#[derive(Clone, Copy, Debug)]
struct Pace {
    begun: Moment,
    last: Moment,
    /// Since when nobody waits.
    left: Moment,
}

impl Pace {
    /// Somebody waits again: the time between was not the client's.
    fn go_on(&mut self, now: Moment) {
        let pause = now.since(self.left);
        (self.begun, self.last) = (self.begun.after(pause), self.last.after(pause));
    }
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
            given: 0,
            trailers: Trailers::new(),
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
            Progress::Whole | Progress::Taken => Rest::Nothing,
            Progress::Pieces if self.decoder.is_end() => Rest::Nothing,
            Progress::Partial if self.buffer.is_empty() => Rest::Unread(self.declared),
            Progress::Partial | Progress::Pieces | Progress::Failed(_) => Rest::Broken,
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
        if mem::take(&mut self.begun) {
            self.given = 0;
            self.trailers = Trailers::new();
            let buffer = mem::take(&mut self.buffer);
            let wire = &mut *self.wire.borrow_mut();
            if matches!(self.progress, Progress::Pieces) {
                wire.end_body();
            }
            wire.shared.buffers.give_back(buffer);
        }
        self.progress = Progress::Whole;
    }

    /// Gathers the whole body in the buffer.
    fn poll_gather(&mut self, task: &mut Context<'_>, limit: usize) -> Poll<Result<(), Problem>> {
        let whole = loop {
            match ready!(self.poll_data(task, limit)) {
                Ok(true) => {}
                Ok(false) => break Ok(()),
                Err(problem) => break Err(problem),
            }
        };
        Poll::Ready(self.ended(whole, Progress::Whole))
    }

    /// Leaves the next piece in the buffer; nothing at the end.
    fn poll_piece(&mut self, task: &mut Context<'_>) -> Poll<Result<(), Problem>> {
        let piece = ready!(self.poll_data(task, self.limit));
        self.given += self.buffer.len() as u64;
        Poll::Ready(match piece {
            Ok(true) => Ok(()),
            Ok(false) if self.buffer.is_empty() => self.ended(Ok(()), Progress::Taken),
            // The end comes with the next call.
            Ok(false) => Ok(()),
            Err(problem) => self.ended(Err(problem), Progress::Taken),
        })
    }

    /// Nothing comes any more.
    fn ended(&mut self, outcome: Result<(), Problem>, progress: Progress) -> Result<(), Problem> {
        match outcome {
            Ok(()) => {
                self.progress = progress;
                self.wire.borrow_mut().end_body();
                Ok(())
            }
            Err(problem) => {
                self.progress = Progress::Failed(problem.kind());
                Err(problem.closing())
            }
        }
    }

    /// Something has come.
    fn came(&mut self, now: Moment) {
        if let Some(pace) = &mut self.pace {
            pace.last = now;
        }
    }

    /// Somebody begins to read: the client is told, and there is a buffer.
    fn begin(&mut self, wire: &mut Wire) {
        if mem::replace(&mut self.begun, true) {
            return;
        }
        if self.expects_continue {
            wire.output(encode::CONTINUE.len()).extend_from_slice(encode::CONTINUE);
        }
        self.buffer = wire.shared.buffers.take(
            self.declared
                .map_or(SMALL, |length| length.min(LARGEST as u64) as usize),
        );
    }

    /// Puts what has come behind what is in the buffer. Ready: whether there may be more; then something was put there.
    fn poll_data(&mut self, task: &mut Context<'_>, limit: usize) -> Poll<Result<bool, Problem>> {
        let shared_wire = self.wire.clone();
        let wire = &mut *shared_wire.borrow_mut();
        self.begin(wire);
        let shared = wire.shared.clone();
        let limits = &shared.config.limits;
        loop {
            let step = match self.decoder.decode_with(wire.input.bytes(), limits, &mut self.trailers) {
                Ok(step) => step,
                Err(refusal) => return Poll::Ready(Err(refusal.problem())),
            };
            let data = &wire.input.bytes()[step.data.clone()];
            let known = self.given + (self.buffer.len() + data.len()) as u64;
            // A chunk that says it is too large for the route is refused before it comes; for this reader alone, once it has.
            let declared = known.saturating_add(self.decoder.remaining_declared());
            if known > limit as u64 || declared > self.limit as u64 {
                return Poll::Ready(Err(Problem::body_too_large(limit)));
            }
            let any = !data.is_empty();
            shared.buffers.make_room(&mut self.buffer, data.len());
            self.buffer.extend_from_slice(data);
            wire.input.consume(step.consumed);
            if step.end {
                return Poll::Ready(Ok(false));
            }
            if any {
                self.came(shared.clock.now());
                return Poll::Ready(Ok(true));
            }
            if step.consumed > 0 {
                self.came(shared.clock.now());
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
                Poll::Ready(Ok(0)) | Poll::Ready(Err(_)) => return Poll::Ready(Err(Problem::body_cut_short())),
                Poll::Ready(Ok(_)) if self.declared.is_some() => {
                    self.came(shared.clock.now());
                    return Poll::Ready(Ok(!self.decoder.is_end()));
                }
                Poll::Ready(Ok(_)) => self.came(shared.clock.now()),
                Poll::Pending => {
                    let pace = self.pace.get_or_insert_with(|| {
                        let now = shared.clock.read();
                        Pace {
                            begun: now,
                            last: now,
                            left: now,
                        }
                    });
                    let received = self.given + self.buffer.len() as u64;
                    let due = shared.config.timeouts.body_due(pace.last.since(pace.begun), received);
                    return wire
                        .poll_until_late(pace.begun.after(due), task)
                        .map(|()| Err(Problem::body_too_slow()));
                }
            }
        }
    }
}

impl pw_core::Upgradable for RequestBody {}

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
            Progress::Pieces | Progress::Taken => {
                return Err(Problem::internal("the body was taken piece by piece, and is gone"));
            }
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

    async fn chunk(&mut self) -> Result<Option<&[u8]>, Problem> {
        match self.progress {
            Progress::Whole => {
                let all = self.buffer.len() as u64;
                let first = mem::replace(&mut self.given, all) < all;
                return Ok(first.then_some(&self.buffer));
            }
            Progress::Taken => return Ok(None),
            Progress::Failed(kind) => return Err(Problem::of(kind).closing()),
            Progress::Partial => {
                if self.declared.is_some_and(|declared| declared > self.limit as u64) {
                    return Err(Problem::body_too_large(self.limit));
                }
                (self.progress, self.pace) = (Progress::Pieces, None);
                // Somebody has begun to read it whole, and given that up.
                if !self.buffer.is_empty() {
                    self.given = self.buffer.len() as u64;
                    return Ok(Some(&self.buffer));
                }
            }
            Progress::Pieces => {}
        }
        wipe(&mut self.buffer);
        let shared = self.wire.borrow().shared.clone();
        if let Some(pace) = &mut self.pace {
            pace.go_on(shared.clock.read());
        }
        poll_fn(|task| self.poll_piece(task)).await?;
        if let Some(pace) = &mut self.pace {
            pace.left = shared.clock.read();
        }
        Ok((!self.buffer.is_empty()).then_some(&self.buffer))
    }

    fn trailers(&self) -> &Trailers {
        match self.progress {
            Progress::Whole | Progress::Taken => &self.trailers,
            Progress::Partial | Progress::Pieces | Progress::Failed(_) => Trailers::none(),
        }
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
