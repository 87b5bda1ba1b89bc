//! One HTTP/1 connection's socket, buffers and place in the conversation, shared by the gate, the exchange and the connection's
//! own task. What hyper reads of it is in `transcript.rs`. The lock around it is never contended for long: all three run in one task.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use bytes::Bytes;
use pw_core::{Trailers, UpgradeTask, Upgraded};
use pw_h1::{BodyDecoder, HeadParser, Refusal, encode};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Config;
use crate::clock::Moment;
use crate::input::Input;
use crate::kit::Kit;
use crate::output::Output;
use crate::turns::Flow;

mod transcript;

/// See the module.
pub(crate) struct Wire<I> {
    pub(crate) io: I,
    pub(crate) input: Input,
    pub(crate) output: Output,
    /// The fields of the answer whose head hyper writes next, a line each.
    pub(crate) fields: Vec<u8>,
    /// What the client is waited for, and since when.
    pub(crate) wait: Wait,
    /// Since when the client takes no output.
    pub(crate) stalled: Option<Moment>,
    /// The server is going down: no request after the next answer.
    pub(crate) draining: bool,
    /// The client has shut its side.
    pub(crate) ended: bool,
    /// The stream that is, or was last, on its way.
    pub(crate) flow: Option<Arc<Flow>>,
    /// What takes the connection over once what waits is written.
    pub(crate) upgrade: Option<UpgradeTask>,
    /// hyper holds a part of an answer that was not taken from it yet.
    behind: bool,
    /// hyper was refused the next head for it.
    held: bool,
    stage: Stage,
    parser: HeadParser,
    heads: Heads,
    peer: SocketAddr,
    config: Arc<Config>,
}

/// What a wire holds of requests that no exchange has yet. Apart, so that a wire can be taken to pieces.
#[derive(Default)]
struct Heads {
    /// Where the next head goes, from its first byte on.
    next: Option<Box<Kit>>,
    request: Option<Request>,
}

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing of the client: an exchange is under way.
    Nothing,
    /// The next request.
    NextRequest(Moment),
    /// The rest of a head.
    Head(Moment),
    /// The rest of a body nobody read.
    Drain(Moment),
}

/// What the next byte of input belongs to.
enum Stage {
    Head,
    Body(Body),
    /// A body nobody asked for any more, and how much of it is still put up with.
    Drain(BodyDecoder, usize),
    /// Nothing: hyper is told that the client has ended.
    Over,
}

struct Body {
    decoder: BodyDecoder,
    /// Bytes that have come, and the most that may, once the route is known.
    received: u64,
    limit: Option<u64>,
    /// The client has ended before the limit was known.
    cut_short: bool,
    /// Bytes that have come, framing included.
    consumed: usize,
    /// How it is shown to hyper: as chunks, which can end at any time, or as it is (HTTP/1.0 has no chunks).
    as_chunks: bool,
    abandoned: bool,
    /// Of chunks as they came: what stands behind them, for who reads the body. hyper is shown none.
    trailers: Option<Arc<Mutex<Trailers>>>,
}

/// A request whose head was accepted, on its way to the exchange.
pub(crate) struct Request {
    pub(crate) kit: Box<Kit>,
    /// The length of the body, if the head declares it.
    pub(crate) declared: Option<u64>,
    /// The client waits for 100 before it sends the body.
    pub(crate) expects_continue: bool,
    /// What stands behind the body, once hyper has been shown its end; where it may have some.
    pub(crate) trailers: Option<Arc<Mutex<Trailers>>>,
}

impl<I: AsyncRead + AsyncWrite + Unpin> Wire<I> {
    /// A connection that begins with `input`.
    pub(crate) fn new(io: I, input: Input, wait: Wait, peer: SocketAddr, config: Arc<Config>) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self {
            io,
            input,
            output: Output::default(),
            fields: Vec::new(),
            wait,
            stalled: None,
            draining: false,
            ended: false,
            flow: None,
            upgrade: None,
            behind: false,
            held: false,
            stage: Stage::Head,
            parser: HeadParser::default(),
            heads: Heads::default(),
            peer,
            config,
        }))
    }

    /// The request whose head hyper has just been handed.
    pub(crate) fn take_request(&mut self) -> Option<Request> {
        self.heads.request.take()
    }

    /// The most bytes the body at hand may have.
    pub(crate) fn limit_body(&mut self, limit: usize, task: &Context<'_>) {
        if let Stage::Body(body) = &mut self.stage {
            body.limit = Some(limit as u64);
            if body.cut_short {
                task.waker().wake_by_ref();
            }
        }
    }

    /// Nobody will ask for the rest of the body: hyper is told that it ended, and the rest is dropped before the next head.
    pub(crate) fn abandon_body(&mut self) {
        if let Stage::Body(body) = &mut self.stage {
            body.abandoned = true;
        }
    }

    /// Whether no request, nor a part of one, has come that is not answered.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.stage, Stage::Head) && self.parser.is_idle() && self.wait != Wait::Nothing
    }

    /// While a handler works on a request that has come whole, or a stream is on its way, nobody reads: looks ahead, a little, so that
    /// a client that has reset the connection is noticed and neither is kept.
    pub(crate) fn poll_ahead(&mut self, task: &mut Context<'_>) -> io::Result<()> {
        const AHEAD: usize = 4 * 1024;
        if self.wait != Wait::Nothing {
            return Ok(());
        }
        let streams = self.flow.is_some();
        if streams && let Poll::Ready(Err(error)) = self.poll_drain(task) {
            return Err(error);
        }
        let unasked = match &self.stage {
            Stage::Head => true,
            Stage::Body(body) => streams && body.abandoned,
            Stage::Drain(..) => false,
            Stage::Over => streams,
        };
        while unasked && !self.ended && self.input.bytes().len() < AHEAD {
            match self.poll_fill(task) {
                Poll::Ready(filled) => filled?,
                Poll::Pending => break,
            };
        }
        Ok(())
    }

    /// Whether the client is gone: it has shut its side, has got everything, and there is nothing to give to it. It could not be told
    /// apart for as long as nothing is sent.
    pub(crate) fn is_forsaken(&self) -> bool {
        self.ended && self.output.is_empty() && !self.behind && self.flow.as_ref().is_some_and(|flow| flow.waits())
    }

    /// What is left when the connection leaves HTTP, and what takes it over.
    pub(crate) fn into_upgrade(self) -> Option<(UpgradeTask, Upgraded)>
    where
        I: Send + 'static,
    {
        let ahead = Bytes::copy_from_slice(self.input.bytes());
        let stopping = self.config.stopping.clone();
        Some((self.upgrade?, Upgraded::new(self.io, ahead, self.peer, stopping)))
    }

    /// Whether the client may still be sending what will not be read.
    pub(crate) fn needs_linger(&self) -> bool {
        !self.ended
            && (!matches!(self.stage, Stage::Head) || !self.input.is_empty() || self.draining && !self.is_idle())
    }

    /// Answers with a refusal and ends the conversation.
    pub(crate) fn refuse(&mut self, refusal: &Refusal) {
        refusal.write(self.output.buffer(), &encode::http_date(SystemTime::now()));
        self.stage = Stage::Over;
    }

    /// Writes what waits. While that is pending, `stalled` says since when.
    pub(crate) fn poll_flush(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.output.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let mut progress = false;
        let flushed = self.output.poll_flush(Pin::new(&mut self.io), task, &mut progress);
        self.note_progress(progress, flushed.is_pending());
        flushed
    }

    /// Gathers the beginning of an answer's head, up to its fields, and the fields. Returns how much of `bytes` that was.
    pub(crate) fn put_fields(&mut self, bytes: &[u8]) -> usize {
        const OK: &[u8] = b"HTTP/1.1 200 OK\r\n";
        let line = if bytes.starts_with(OK) {
            OK.len()
        } else {
            // hyper may have the interim answer to the same request in front.
            let interim = if bytes.starts_with(encode::CONTINUE) {
                encode::CONTINUE.len()
            } else {
                0
            };
            memchr::memchr(b'\n', &bytes[interim..]).map_or(bytes.len(), |end| interim + end + 1)
        };
        let output = self.output.buffer();
        output.extend_from_slice(&bytes[..line]);
        output.append(&mut self.fields);
        line
    }

    /// Writes what waits and then `slices`, in one call as far as the socket takes it. Ready: how much of `slices` was taken.
    pub(crate) fn poll_write_through(
        &mut self,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut progress = false;
        let written = self
            .output
            .poll_write_through(Pin::new(&mut self.io), task, slices, &mut progress);
        self.note_progress(progress, written.is_pending());
        written
    }

    fn note_progress(&mut self, progress: bool, pending: bool) {
        match (pending, progress, self.stalled) {
            (false, _, _) => self.stalled = None,
            (true, false, Some(_)) => {}
            (true, _, _) => self.stalled = Some(Moment::now()),
        }
    }

    /// Takes note of whether hyper was left with a part of an answer, and wakes it for the head it was refused meanwhile.
    pub(crate) fn note_behind(&mut self, behind: bool, task: &Context<'_>) {
        self.behind = behind;
        if self.flow.as_ref().is_some_and(|flow| flow.note_behind(behind)) {
            task.waker().wake_by_ref();
        }
        if !behind && std::mem::take(&mut self.held) {
            task.waker().wake_by_ref();
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn poll_fill(&mut self, task: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let count = ready!(self.input.poll_fill(Pin::new(&mut self.io), task))?;
        self.ended |= count == 0;
        Poll::Ready(Ok(count))
    }
}

impl Drop for Heads {
    fn drop(&mut self) {
        let kits = [self.next.take(), self.request.take().map(|request| request.kit)];
        kits.into_iter().flatten().for_each(Kit::give_back);
    }
}

/// Locks a wire. A poisoned lock means a panic within this crate; the socket is still good for closing.
pub(crate) fn lock<I>(wire: &Mutex<Wire<I>>) -> MutexGuard<'_, Wire<I>> {
    wire.lock().unwrap_or_else(PoisonError::into_inner)
}
