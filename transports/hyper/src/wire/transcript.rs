//! What hyper reads of a connection: a clean transcript of the requests, one at a time. Heads and bodies are judged here, and heads kept
//! for their exchanges.

use std::io;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, ready};

use pw_core::Version;
use pw_core::problem::kind;
use pw_h1::{BodyDecoder, Framing, Refusal, Verdict, encode};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{Body, Request, Stage, Wait, Wire};
use crate::body::Refused;
use crate::clock::Moment;
use crate::kit::Kit;

impl<I: AsyncRead + AsyncWrite + Unpin> Wire<I> {
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
    pub(super) fn poll_drain(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
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
    use pw_h1::HeadParser;

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
