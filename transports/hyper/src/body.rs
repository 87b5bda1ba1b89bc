//! The body of a request: frames from hyper, gathered or handed on as they come, when somebody asks.

use std::future::{Future, poll_fn};
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use http_body::Body as _;
use hyper::body::Incoming;
use pw_core::problem::{Kind, kind};
use pw_core::{Limits, Problem, Trailers};
use pw_h1::{Refusal, Rest};
use tokio::time::{Instant, Sleep};

use crate::Config;

/// The body of a request on this transport.
#[derive(Debug, Default)]
pub struct RequestBody {
    incoming: Option<Incoming>,
    declared: Option<u64>,
    buffer: Vec<u8>,
    /// The piece that was given last.
    piece: Bytes,
    /// Bytes that were given in pieces. Of a body that was read before: all of it.
    given: u64,
    limit: usize,
    progress: Progress,
    /// Since it was first waited for by who reads it now.
    pace: Option<Pace>,
    config: Option<Arc<Config>>,
    trailers: Trailers,
    /// Where the gate puts them, which shows hyper none.
    gate: Option<Arc<Mutex<Trailers>>>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Progress {
    /// All of it is in the buffer.
    #[default]
    Whole,
    /// None or some of it is in the buffer.
    Partial,
    /// It is taken piece by piece.
    Pieces,
    /// All pieces were taken.
    Taken,
    /// It can't be had any more; a second read must not look like a short body.
    Failed(&'static Kind),
}

impl RequestBody {
    /// A body that is to come. `declared` is its length if the head says it.
    pub(crate) fn expect(&mut self, incoming: Incoming, declared: Option<u64>, config: &Arc<Config>) {
        debug_assert!(self.buffer.is_empty());
        self.limit = config.limits.body;
        self.declared = declared;
        self.progress = if incoming.is_end_stream() {
            Progress::Whole
        } else {
            Progress::Partial
        };
        self.incoming = Some(incoming);
        self.config = Some(config.clone());
    }

    /// Where trailers will be by the end.
    pub(crate) fn expect_trailers(&mut self, gate: Option<Arc<Mutex<Trailers>>>) {
        self.gate = gate;
    }

    /// The route's own limit, in place of the server's.
    pub(crate) fn limit_to(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// The most bytes that may come, if any are to come.
    pub(crate) fn expected_limit(&self) -> Option<usize> {
        matches!(self.progress, Progress::Partial).then_some(self.limit)
    }

    /// What is left to come once the exchange is over.
    pub(crate) fn rest(&self) -> Rest {
        match self.progress {
            Progress::Whole | Progress::Taken => Rest::Nothing,
            Progress::Pieces if self.declared == Some(self.given) => Rest::Nothing,
            Progress::Partial if self.buffer.is_empty() => Rest::Unread(self.declared),
            Progress::Partial | Progress::Pieces | Progress::Failed(_) => Rest::Broken,
        }
    }

    /// Nobody reads any more: hyper is told, which may then go on.
    pub(crate) fn release(&mut self) {
        self.incoming = None;
        self.pace = None;
    }

    /// Makes it as new, keeping a buffer of up to `keep` bytes.
    pub(crate) fn recycle(&mut self, keep: usize) {
        if self.config.is_none() {
            return;
        }
        let mut buffer = mem::take(&mut self.buffer);
        buffer.clear();
        if buffer.capacity() > keep {
            buffer = Vec::new();
        }
        *self = Self {
            buffer,
            ..Self::default()
        };
    }

    fn fail(&mut self, problem: Problem) -> Problem {
        self.progress = Progress::Failed(problem.kind());
        self.release();
        problem.closing()
    }

    /// Gathers the whole body in the buffer.
    fn poll_gather(&mut self, task: &mut Context<'_>, limit: usize) -> Poll<Result<(), Problem>> {
        loop {
            match ready!(self.poll_data(task, limit)) {
                Ok(Some(data)) => self.buffer.extend_from_slice(&data),
                Ok(None) => {
                    self.progress = Progress::Whole;
                    self.pace = None;
                    self.take_trailers();
                    return Poll::Ready(Ok(()));
                }
                Err(problem) => return Poll::Ready(Err(self.fail(problem))),
            }
        }
    }

    /// Takes the next piece out of hyper. Nothing there: the end.
    fn poll_piece(&mut self, task: &mut Context<'_>) -> Poll<Result<(), Problem>> {
        match ready!(self.poll_data(task, self.limit)) {
            Ok(piece) => {
                if piece.is_none() {
                    self.progress = Progress::Taken;
                    self.take_trailers();
                    self.release();
                }
                self.piece = piece.unwrap_or_default();
                self.given += self.piece.len() as u64;
                Poll::Ready(Ok(()))
            }
            Err(problem) => Poll::Ready(Err(self.fail(problem))),
        }
    }

    /// All has come: what the gate has kept, too.
    fn take_trailers(&mut self) {
        if let Some(gate) = self.gate.take() {
            self.trailers = mem::take(&mut *gate.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The next bytes as hyper has them, which are some; or the end.
    fn poll_data(&mut self, task: &mut Context<'_>, limit: usize) -> Poll<Result<Option<Bytes>, Problem>> {
        let (Some(incoming), Some(config)) = (&mut self.incoming, &self.config) else {
            return Poll::Ready(Ok(None));
        };
        let received = self.given + self.buffer.len() as u64;
        loop {
            let frame = match Pin::new(&mut *incoming).poll_frame(task) {
                Poll::Ready(Some(Ok(frame))) => frame,
                Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(broken(&error, limit))),
                Poll::Ready(None) => return Poll::Ready(Ok(None)),
                Poll::Pending => {
                    let pace = self.pace.get_or_insert_with(|| Pace::begin(config, received));
                    return pace
                        .poll_late(config, received, task)
                        .map(|()| Err(Problem::body_too_slow()));
                }
            };
            let data = match frame.into_data() {
                Ok(data) => data,
                Err(frame) => {
                    if let Ok(trailers) = frame.into_trailers() {
                        match kept(&trailers, &config.limits) {
                            Ok(trailers) => self.trailers = trailers,
                            Err(refusal) => return Poll::Ready(Err(refusal.problem())),
                        }
                    }
                    continue;
                }
            };
            if data.is_empty() {
                continue;
            }
            if data.len() as u64 > (limit as u64).saturating_sub(received) {
                return Poll::Ready(Err(Problem::body_too_large(limit)));
            }
            if let Some(pace) = &mut self.pace {
                pace.last = Instant::now();
            }
            return Poll::Ready(Ok(Some(data)));
        }
    }
}

impl pw_core::Upgradable for RequestBody {}

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
                    self.piece = mem::take(&mut self.buffer).into();
                    self.given = self.piece.len() as u64;
                    return Ok(Some(&self.piece));
                }
            }
            Progress::Pieces => {}
        }
        self.piece = Bytes::new();
        if let Some(pace) = &mut self.pace {
            pace.go_on();
        }
        poll_fn(|task| self.poll_piece(task)).await?;
        if let Some(pace) = &mut self.pace {
            pace.left = Instant::now();
        }
        Ok((!self.piece.is_empty()).then_some(&self.piece))
    }

    fn trailers(&self) -> &Trailers {
        match self.progress {
            Progress::Whole | Progress::Taken => &self.trailers,
            Progress::Partial | Progress::Pieces | Progress::Failed(_) => Trailers::none(),
        }
    }
}

/// HTTP/2's trailers, within the limits of HTTP/1's.
fn kept(map: &HeaderMap, limits: &Limits) -> Result<Trailers, Refusal> {
    let too_large = |detail| Err(Refusal::new(&kind::HEADER_FIELDS_TOO_LARGE, detail));
    if map.len() > limits.trailer_fields {
        return too_large("there are too many trailers");
    }
    let line = |(name, value): (&http::HeaderName, &http::HeaderValue)| name.as_str().len() + value.len() + 4;
    if map.iter().map(line).sum::<usize>() > limits.trailers {
        return too_large("the trailers are too large");
    }
    let mut trailers = Trailers::new();
    for (name, value) in map {
        for piece in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            trailers.append(piece);
        }
    }
    trailers.complete();
    Ok(trailers)
}

/// How fast a body comes, while it is waited for.
#[derive(Debug)]
struct Pace {
    begun: Instant,
    last: Instant,
    /// Since when nobody waits.
    left: Instant,
    /// Not later than it is due.
    alarm: Pin<Box<Sleep>>,
}

impl Pace {
    fn begin(config: &Config, received: u64) -> Self {
        let now = Instant::now();
        let due = due(now, Duration::ZERO, received, config);
        Self {
            begun: now,
            last: now,
            left: now,
            alarm: Box::pin(tokio::time::sleep_until(due)),
        }
    }

    /// Somebody waits again: the time between was not the client's.
    fn go_on(&mut self) {
        let pause = self.left.elapsed();
        (self.begun, self.last) = (self.begun + pause, self.last + pause);
    }

    /// Ready once it comes too slowly.
    fn poll_late(&mut self, config: &Config, received: u64, task: &mut Context<'_>) -> Poll<()> {
        let due = due(self.begun, self.last.duration_since(self.begun), received, config);
        loop {
            ready!(self.alarm.as_mut().poll(task));
            if due <= self.alarm.deadline() {
                return Poll::Ready(());
            }
            // What has come since it was set puts it off.
            self.alarm.as_mut().reset(due);
        }
    }
}

/// When a body is due of which the last byte came so long after it was waited for.
fn due(begun: Instant, last: Duration, received: u64, config: &Config) -> Instant {
    // Where there is no such time, later than any process runs.
    const NEVER: Duration = Duration::from_secs(1 << 32);
    let due = config.timeouts.body_due(last, received);
    begun.checked_add(due).unwrap_or_else(|| begun + NEVER)
}

/// The problem behind hyper's error: ours, where the gate refused the framing.
fn broken(error: &hyper::Error, limit: usize) -> Problem {
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(refused) = cause.downcast_ref::<Refused>() {
            if refused.0.kind == &kind::CONTENT_TOO_LARGE {
                // Whether the gate saw it first depends on when the bytes came; what the client is told does not.
                return Problem::body_too_large(limit);
            }
            return refused.0.problem();
        }
        source = match cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => cause.source(),
        };
    }
    Problem::body_cut_short()
}

/// How the gate tells a body's reader why the framing was refused.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Refusal);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.detail)
    }
}

impl std::error::Error for Refused {}
