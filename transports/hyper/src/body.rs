//! The body of a request: frames from hyper, gathered when somebody asks.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Buf;
use http_body::Body as _;
use hyper::body::Incoming;
use pw_core::Problem;
use pw_core::problem::{Kind, kind};
use pw_h1::{Refusal, Rest};

use crate::Config;

/// The body of a request on this transport.
#[derive(Debug, Default)]
pub struct RequestBody {
    incoming: Option<Incoming>,
    declared: Option<u64>,
    buffer: Vec<u8>,
    limit: usize,
    progress: Progress,
    config: Option<Arc<Config>>,
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
            Progress::Whole => Rest::Nothing,
            Progress::Partial if self.buffer.is_empty() => Rest::Unread(self.declared),
            Progress::Partial | Progress::Failed(_) => Rest::Broken,
        }
    }

    /// Nobody reads any more: hyper is told, which may then go on.
    pub(crate) fn release(&mut self) {
        self.incoming = None;
    }

    /// Makes it as new, keeping a buffer of up to `keep` bytes.
    pub(crate) fn recycle(&mut self, keep: usize) {
        if self.config.is_none() {
            return;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
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
        self.incoming = None;
        problem.closing()
    }

    async fn gather(&mut self, limit: usize) -> Result<(), Problem> {
        let (Some(incoming), Some(config)) = (&mut self.incoming, &self.config) else {
            return Ok(());
        };
        let begun = Instant::now();
        let mut pace = Pace {
            begun,
            last: begun,
            received: self.buffer.len() as u64,
        };
        loop {
            let frame = poll_fn(|task| Pin::new(&mut *incoming).poll_frame(task));
            let frame = match tokio::time::timeout_at(pace.deadline(config).into(), frame).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => {
                    self.progress = Progress::Whole;
                    return Ok(());
                }
                Ok(Some(Err(error))) => return Err(self.fail(broken(&error, limit))),
                Err(_) => {
                    return Err(self.fail(Problem::body_too_slow()));
                }
            };
            // Trailers are checked and dropped: nothing here asks for them.
            let Ok(mut data) = frame.into_data() else { continue };
            if data.remaining() > limit.saturating_sub(self.buffer.len()) {
                return Err(self.fail(Problem::body_too_large(limit)));
            }
            pace.received(data.remaining());
            while data.has_remaining() {
                let chunk = data.chunk();
                self.buffer.extend_from_slice(chunk);
                let count = chunk.len();
                data.advance(count);
            }
        }
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
                // Boxed: most exchanges have no body, and all would carry the room this takes.
                Box::pin(self.gather(limit)).await?;
            }
        }
        Ok(&self.buffer)
    }
}

/// How fast a body comes.
struct Pace {
    begun: Instant,
    last: Instant,
    received: u64,
}

impl Pace {
    fn received(&mut self, bytes: usize) {
        self.received += bytes as u64;
        self.last = Instant::now();
    }

    fn deadline(&self, config: &Config) -> Instant {
        let last = self.last.duration_since(self.begun);
        let due = config.timeouts.body_due(last, self.received);
        // Where there is no such time, later than any process runs.
        const NEVER: Duration = Duration::from_secs(1 << 32);
        self.begun.checked_add(due).unwrap_or_else(|| self.begun + NEVER)
    }
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
