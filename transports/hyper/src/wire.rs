//! One HTTP/1 connection's socket, buffers and place in the conversation, shared by the gate, the exchange and the connection's
//! own task. The lock around it is never contended for long: all three run in one task.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use bytes::Bytes;
use pw_core::problem::kind;
use pw_core::{Trailers, UpgradeTask, Upgraded, Version};
use pw_h1::{BodyDecoder, Framing, HeadParser, Refusal, Verdict, encode};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Config;
use crate::body::Refused;
use crate::clock::Moment;
use crate::input::Input;
use crate::kit::Kit;
use crate::output::Output;
use crate::turns::Flow;

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
        if !behind && std::mem::take(&mut self.held) {
            task.waker().wake_by_ref();
        }
    }

    /// The next piece of what hyper is to see, put down by `put`, at most `room` bytes. Nothing put and ready: the end.
    pub(crate) fn poll_transcript(
        &mut self,
        task: &mut Context<'_>,
        room: usize,
        mut put: impl FnMut(&[u8]),
    ) -> Poll<io::Result<()>> {
        loop {
            match &mut self.stage {
                // hyper asks for the next head as soon as the body before it has ended, even while the answer is stuck with it. A
                // refusal would overtake that answer, and the next one's fields would be put into it.
                Stage::Head | Stage::Drain(..) if self.behind => {
                    self.held = true;
                    return Poll::Pending;
                }
                Stage::Head => {
                    if let Some(verdict) = ready!(self.poll_head(task))? {
                        self.wait = Wait::Nothing;
                        canonical_head(&verdict, self.draining, put);
                    }
                    return Poll::Ready(Ok(()));
                }
                Stage::Body(body) if body.abandoned && body.as_chunks => {
                    let Stage::Body(body) = std::mem::replace(&mut self.stage, Stage::Over) else {
                        unreachable!()
                    };
                    // How much hyper had read already depends on when it came; where the line is drawn does not.
                    let left = self.config.limits.drain.saturating_sub(body.consumed);
                    self.stage = Stage::Drain(body.decoder, left);
                    put(encode::LAST_CHUNK);
                    return Poll::Ready(Ok(()));
                }
                Stage::Body(body) => {
                    // A chunk's frame is at most 16 digits, two line ends and the last chunk.
                    let span = self.input.bytes();
                    let span = &span[..span.len().min(room.saturating_sub(32))];
                    let limits = &self.config.limits;
                    let decoded = match &body.trailers {
                        None => body.decoder.decode(span, limits),
                        Some(trailers) => {
                            let mut trailers = trailers.lock().unwrap_or_else(PoisonError::into_inner);
                            body.decoder.decode_with(span, limits, &mut trailers)
                        }
                    };
                    let step = match decoded {
                        Ok(step) => step,
                        Err(refusal) => {
                            self.stage = Stage::Over;
                            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, Refused(refusal))));
                        }
                    };
                    let data = &span[step.data.clone()];
                    body.received += data.len() as u64;
                    body.consumed = body.consumed.saturating_add(step.consumed);
                    // A chunk that says it is too large is refused before it comes.
                    let declared = body.received.saturating_add(body.decoder.remaining_declared());
                    if body.limit.is_some_and(|limit| declared > limit) {
                        self.stage = Stage::Over;
                        let refusal =
                            Refusal::new(&kind::CONTENT_TOO_LARGE, "the body is larger than this route takes");
                        return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, Refused(refusal))));
                    }
                    if body.as_chunks {
                        put_chunk(data, step.end, &mut put);
                    } else {
                        put(data);
                    }
                    let (any, consumed) = (!data.is_empty(), step.consumed);
                    self.input.consume(consumed);
                    if step.end {
                        self.stage = Stage::Head;
                    }
                    if any || step.end {
                        return Poll::Ready(Ok(()));
                    }
                    if consumed == 0 && ready!(self.poll_fill(task))? == 0 {
                        // hyper reads before it asks the service: a chunk too large for the route may stand before the end.
                        if let Stage::Body(body) = &mut self.stage
                            && body.limit.is_none()
                        {
                            body.cut_short = true;
                            return Poll::Pending;
                        }
                        self.stage = Stage::Over;
                        return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
                    }
                }
                Stage::Drain(..) => match self.poll_drain(task) {
                    Poll::Ready(drained) => drained?,
                    Poll::Pending => {
                        if !matches!(self.wait, Wait::Drain(_)) {
                            self.wait = Wait::Drain(Moment::now());
                        }
                        return Poll::Pending;
                    }
                },
                Stage::Over => return Poll::Ready(Ok(())),
            }
        }
    }

    /// Drops what is left of a body nobody asked for. Ready: it has ended, or nothing behind it will be looked at.
    fn poll_drain(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Stage::Drain(decoder, left) = &mut self.stage {
            let step = match decoder.decode(self.input.bytes(), &self.config.limits) {
                Ok(step) if step.consumed <= *left => step,
                _ => {
                    self.stage = Stage::Over;
                    break;
                }
            };
            *left -= step.consumed;
            self.input.consume(step.consumed);
            if step.end {
                self.stage = Stage::Head;
            } else if step.consumed == 0 && ready!(self.poll_fill(task))? == 0 {
                self.stage = Stage::Over;
            }
        }
        Poll::Ready(Ok(()))
    }

    /// The next head, or `None` where there will be none: the client has ended, or was refused.
    fn poll_head(&mut self, task: &mut Context<'_>) -> Poll<io::Result<Option<Verdict>>> {
        loop {
            if !self.input.is_empty() {
                let kit = self.heads.next.get_or_insert_with(Kit::take);
                let (buffer, length) = self.input.bytes_within();
                match self
                    .parser
                    .parse_within(buffer, length, &self.config.limits, &mut kit.head)
                {
                    Ok(Some(verdict)) => {
                        self.input.consume(verdict.consumed);
                        self.accept(&verdict);
                        return Poll::Ready(Ok(Some(verdict)));
                    }
                    Ok(None) => {}
                    Err(refusal) => {
                        self.refuse(&refusal);
                        return Poll::Ready(Ok(None));
                    }
                }
            }
            match self.poll_fill(task) {
                Poll::Ready(Ok(0)) => {
                    if self.parser.is_idle() {
                        self.stage = Stage::Over;
                    } else {
                        self.refuse(&Refusal::cut_short());
                    }
                    return Poll::Ready(Ok(None));
                }
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    self.await_head();
                    return Poll::Pending;
                }
            }
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    fn accept(&mut self, verdict: &Verdict) {
        let mut kit = self.heads.next.take().unwrap_or_else(Kit::take);
        kit.head.set_peer(self.peer);
        let declared = match verdict.framing {
            Framing::None => Some(0),
            Framing::Length(length) => Some(length),
            Framing::Chunked => None,
        };
        let trailers = declared.is_none().then(Arc::default);
        if declared != Some(0) {
            let as_chunks = verdict.version != Version::Http10;
            self.stage = Stage::Body(Body {
                decoder: BodyDecoder::new(verdict.framing),
                received: 0,
                limit: None,
                cut_short: false,
                consumed: 0,
                as_chunks,
                abandoned: false,
                trailers: trailers.clone(),
            });
        }
        self.heads.request = Some(Request {
            kit,
            declared,
            expects_continue: verdict.expect_continue,
            trailers,
        });
    }

    /// Starts the clock of what is waited for, unless it runs already.
    fn await_head(&mut self) {
        self.wait = match (self.wait, self.parser.is_idle()) {
            (wait @ Wait::NextRequest(_), true) => wait,
            (wait @ Wait::Head(_), false) => wait,
            (_, true) => Wait::NextRequest(Moment::now()),
            (_, false) => Wait::Head(Moment::now()),
        };
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

/// What hyper sees of a head: whether there is a body, and what follows it.
fn canonical_head(verdict: &Verdict, draining: bool, mut put: impl FnMut(&[u8])) {
    let keep_alive = verdict.keep_alive && !draining;
    let has_body = !matches!(verdict.framing, Framing::None | Framing::Length(0));
    let line: &[u8] = match (verdict.is_head, verdict.version) {
        (true, Version::Http10) => b"HEAD / HTTP/1.0\r\n",
        (true, _) => b"HEAD / HTTP/1.1\r\n",
        (false, Version::Http10) => b"POST / HTTP/1.0\r\n",
        (false, _) if keep_alive && !has_body => return put(b"GET / HTTP/1.1\r\n\r\n"),
        (false, _) => b"POST / HTTP/1.1\r\n",
    };
    put(line);
    match (verdict.version, keep_alive) {
        (Version::Http10, true) => put(b"connection: keep-alive\r\n"),
        (Version::Http10, false) => {}
        (_, true) => {}
        (_, false) => put(b"connection: close\r\n"),
    }
    match (verdict.version, verdict.framing) {
        _ if !has_body => {}
        (Version::Http10, Framing::Length(length)) => put(format!("content-length: {length}\r\n").as_bytes()),
        _ => put(b"transfer-encoding: chunked\r\n"),
    }
    if verdict.expect_continue {
        put(b"expect: 100-continue\r\n");
    }
    put(b"\r\n");
}

fn put_chunk(data: &[u8], end: bool, put: &mut impl FnMut(&[u8])) {
    if !data.is_empty() {
        let mut digits = [0; 16];
        let mut at = digits.len();
        let mut size = data.len();
        while size > 0 {
            at -= 1;
            digits[at] = b"0123456789abcdef"[size & 15];
            size >>= 4;
        }
        put(&digits[at..]);
        put(b"\r\n");
        put(data);
        put(encode::CHUNK_END);
    }
    if end {
        put(encode::LAST_CHUNK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(head: &str, draining: bool) -> String {
        let verdict = HeadParser::default()
            .parse(
                head.as_bytes(),
                &pw_core::Limits::default(),
                &mut pw_core::HeadBuffer::default(),
            )
            .expect("a good head")
            .expect("a whole head");
        let mut shown = Vec::new();
        canonical_head(&verdict, draining, |bytes| shown.extend_from_slice(bytes));
        String::from_utf8(shown).unwrap()
    }

    #[test]
    fn hyper_sees_framing_and_persistence_and_nothing_else() {
        for (head, expected) in [
            ("GET /a HTTP/1.1\r\nhost: a\r\nx: y\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"),
            (
                "DELETE /a HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
            ),
            ("HEAD /a HTTP/1.1\r\nhost: a\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n"),
            (
                "GET /a HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
                "POST / HTTP/1.1\r\nconnection: close\r\n\r\n",
            ),
            (
                "PUT /a HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\n",
                "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\nexpect: 100-continue\r\n\r\n",
            ),
            ("GET /a HTTP/1.0\r\n\r\n", "POST / HTTP/1.0\r\n\r\n"),
            (
                "POST /a HTTP/1.0\r\nconnection: keep-alive\r\ncontent-length: 5\r\n\r\n",
                "POST / HTTP/1.0\r\nconnection: keep-alive\r\ncontent-length: 5\r\n\r\n",
            ),
        ] {
            assert_eq!(shown(head, false), expected, "{head:?}");
        }
        let closing = shown("GET /a HTTP/1.1\r\nhost: a\r\n\r\n", true);
        assert_eq!(closing, "POST / HTTP/1.1\r\nconnection: close\r\n\r\n");
    }

    #[test]
    fn chunks_carry_their_size_in_hexadecimal() {
        let chunk = |data: &[u8], end| {
            let mut out = Vec::new();
            put_chunk(data, end, &mut |bytes| out.extend_from_slice(bytes));
            out
        };
        assert_eq!(chunk(b"hello", false), b"5\r\nhello\r\n");
        assert_eq!(chunk(&[b'x'; 4096], true).first_chunk(), Some(b"1000\r\nx"));
        assert_eq!(chunk(b"", true), b"0\r\n\r\n");
        assert_eq!(chunk(b"", false), b"");
    }
}
