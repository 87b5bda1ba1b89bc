//! The connection under a WebSocket: reads, writes, deadlines, and the close handshake (RFC 6455 5.5.1, 7).
//!
//! It holds no buffer while nothing comes or goes: bytes are read onto the stack and, but for the piece of a message, taken from
//! there. It knows nothing of the handler but what is shared with it.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use pw_core::Upgraded;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::frame::{self, Opcode, Violation};
use crate::inbound::{Event, Inbound};
use crate::options::Settings;
use crate::pace::Pace;
use crate::shared::{End, MAX_WAITING, Shared};
use crate::{Close, CloseCode, ErrorKind};

/// How much is read at once.
const READ: usize = 16 << 10;
/// How often is read before others of the thread have their turn.
const READS: usize = 16;
/// What waits is sent when there is nothing more to read, or when it has come to this.
const WRITE: usize = 16 << 10;

pub(crate) struct Wire {
    stream: Option<Upgraded>,
    pub(crate) shared: Arc<Shared>,
    settings: Settings,
    inbound: Inbound,
    /// What was read and not taken: there is no room for the next message.
    ahead: Bytes,
    phase: Phase,
    /// When the client was heard last, or when it began to be listened to.
    heard: Instant,
    listening: bool,
    pace: Pace,
    pinged: Instant,
    /// Since when nothing of what waits has been taken.
    stalled: Option<Instant>,
    unflushed: bool,
    /// Whether the client's time to answer our close frame has begun.
    awaited: bool,
    /// Whether our direction has ended, and whether the client's has.
    shut: bool,
    ended: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// Our close frame is sent or waits to be; the client's is awaited. As long as there is more to send than the client takes, the
    /// time is that of a slow one.
    Closing {
        until: Instant,
    },
    /// No frame counts any more. What waits is sent, then our direction ends; what comes is thrown away until the client's does, or
    /// the kernel would cut off what is on its way to the client.
    Ending {
        until: Instant,
    },
}

/// What a look at the connection found.
enum Read {
    /// Something for the handler.
    News,
    /// There may be more.
    More,
    /// Nothing now.
    Nothing,
}

impl Wire {
    pub(crate) fn new(stream: Upgraded, settings: Settings, shared: Arc<Shared>, now: Instant) -> Self {
        Self {
            stream: Some(stream),
            shared,
            settings,
            inbound: Inbound::new(settings.max_message, settings.max_frame),
            ahead: Bytes::new(),
            phase: Phase::Open,
            heard: now,
            listening: true,
            pace: Pace::new(now),
            pinged: now,
            stalled: None,
            unflushed: false,
            awaited: false,
            shut: false,
            ended: false,
        }
    }

    /// Whether there is no connection any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.stream.is_none()
    }

    /// Reads and writes all that can be now, within so many reads of a turn. `true`: there is something for the handler, and the rest
    /// is for later.
    pub(crate) fn drive(&mut self, reads: &mut usize, task: &mut Context<'_>) -> bool {
        if self.shared.lock().close.is_some() {
            self.close(CloseCode::NORMAL, "", End::Ours, task);
        }
        loop {
            match self.read(reads, task) {
                Read::News => return true,
                Read::More => {
                    let much = self.shared.lock().out.len() >= WRITE;
                    if much && self.write(task) {
                        return true;
                    }
                    continue;
                }
                Read::Nothing => {}
            }
            let held_back = self.shared.lock().out.len() >= MAX_WAITING;
            if self.write(task) {
                return true;
            }
            if !(held_back && self.stream.is_some() && self.shared.lock().out.len() < MAX_WAITING) {
                return false;
            }
        }
    }

    /// Goes to sleep, to be woken by whoever has something to do for the connection. `false`: there is already.
    pub(crate) fn sleep(&self, task: &Context<'_>) -> bool {
        let mut state = self.shared.lock();
        if state.touched {
            return false;
        }
        state.asleep = true;
        match &mut state.connection {
            Some(waker) => waker.clone_from(task.waker()),
            none => *none = Some(task.waker().clone()),
        }
        true
    }

    /// Sends a close frame and waits for the client's, unless it has come to that already. What the handler asked for before goes
    /// before.
    pub(crate) fn close(&mut self, code: CloseCode, reason: &str, end: End, task: &Context<'_>) {
        if self.phase != Phase::Open || self.is_gone() {
            return;
        }
        let mut state = self.shared.lock();
        let asked = state.close.take();
        let close = asked
            .as_ref()
            .map_or((code, reason), |(code, reason)| (*code, &**reason));
        frame::write_close(Some(close), &mut state.out);
        drop(state);
        let until = Instant::now() + self.settings.slow;
        self.phase = Phase::Closing { until };
        self.end(end, task);
    }

    /// The next time that [`tick`](Self::tick) has something to do.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.stream.as_ref()?;
        let of_phase = match self.phase {
            Phase::Open => {
                let ping = self.pinged + self.settings.ping;
                let idle = self.heard + self.settings.idle;
                let next = if self.listening { ping.min(idle) } else { ping };
                self.pace.until().map_or(next, |until| until.min(next))
            }
            Phase::Closing { until } | Phase::Ending { until } => until,
        };
        let slow = self.stalled.map(|since| since + self.settings.slow);
        Some(slow.map_or(of_phase, |slow| slow.min(of_phase)))
    }

    /// Does what is due. Whether anything was.
    pub(crate) fn tick(&mut self, now: Instant, task: &Context<'_>) -> bool {
        if self.stalled.is_some_and(|since| since + self.settings.slow <= now) {
            self.cut(ErrorKind::Slow, task);
            return true;
        }
        match self.phase {
            Phase::Closing { until } | Phase::Ending { until } => {
                if until <= now {
                    self.stream = None;
                }
                until <= now
            }
            Phase::Open if self.pace.renew(now) => true,
            Phase::Open if self.listening && self.heard + self.settings.idle <= now => {
                self.close(CloseCode::AWAY, "", End::Failed(ErrorKind::Idle), task);
                true
            }
            Phase::Open if self.pinged + self.settings.ping <= now => {
                self.pinged = now;
                let out = &mut self.shared.lock().out;
                // What waits is as good as a ping, and does not get longer by it.
                if out.is_empty() {
                    frame::write(Opcode::Ping, b"", out);
                }
                true
            }
            Phase::Open => false,
        }
    }

    /// All is sent, the close frame among it: now the client's time to answer begins.
    fn await_end(&mut self) {
        if let Phase::Closing { until } | Phase::Ending { until } = &mut self.phase
            && !self.awaited
        {
            self.awaited = true;
            *until = (*until).min(Instant::now() + self.settings.close);
        }
    }

    /// Says why no message comes any more, to whoever waits for one or for room.
    fn end(&mut self, end: End, task: &Context<'_>) {
        let mut state = self.shared.lock();
        state.end.get_or_insert(end);
        state.wake_receiver(task.waker());
        drop(state);
        self.shared.news.notify_waiters();
    }

    /// Drops the connection where it stands.
    fn cut(&mut self, kind: ErrorKind, task: &Context<'_>) {
        self.end(End::Failed(kind), task);
        self.stream = None;
    }

    fn lost(&mut self, error: &io::Error, task: &Context<'_>) {
        tracing::debug!(target: "polywire", %error, "WebSocket's connection lost");
        self.cut(ErrorKind::Lost, task);
    }

    fn read(&mut self, reads: &mut usize, task: &mut Context<'_>) -> Read {
        if self.is_gone() || self.ended {
            return Read::Nothing;
        }
        let wanted = {
            let state = self.shared.lock();
            let room = state.out.len() < MAX_WAITING;
            match self.phase {
                Phase::Open => room && state.inbox.is_none() && self.pace.until().is_none(),
                Phase::Closing { .. } => room,
                Phase::Ending { .. } => true,
            }
        };
        if wanted != self.listening {
            self.listening = wanted;
            self.heard = Instant::now();
        }
        if !wanted {
            return Read::Nothing;
        }
        if !self.ahead.is_empty() {
            let ahead = std::mem::take(&mut self.ahead);
            let mut input = &ahead[..];
            let read = self.take(&mut input, task);
            if !input.is_empty() {
                self.ahead = ahead.slice(ahead.len() - input.len()..);
            }
            return read;
        }
        if *reads == READS {
            task.waker().wake_by_ref();
            return Read::Nothing;
        }
        *reads += 1;
        let mut room = [MaybeUninit::<u8>::uninit(); READ];
        let mut room = ReadBuf::uninit(&mut room);
        let stream = Pin::new(self.stream.as_mut().expect("it is not gone"));
        match stream.poll_read(task, &mut room) {
            Poll::Pending => Read::Nothing,
            Poll::Ready(Err(error)) => {
                self.lost(&error, task);
                Read::News
            }
            Poll::Ready(Ok(())) if room.filled().is_empty() => {
                // What waits is still sent: whoever ended one direction may listen in the other.
                self.ended = true;
                self.end(End::Failed(ErrorKind::Lost), task);
                self.start_ending();
                Read::News
            }
            Poll::Ready(Ok(())) => {
                self.heard = Instant::now();
                let mut input = room.filled();
                let read = self.take(&mut input, task);
                self.ahead = Bytes::copy_from_slice(input);
                read
            }
        }
    }

    /// Takes events off the front of `input`, up to one that the handler must see first.
    fn take(&mut self, input: &mut &[u8], task: &Context<'_>) -> Read {
        while !input.is_empty() {
            if matches!(self.phase, Phase::Ending { .. }) {
                *input = &[];
                break;
            }
            if self.phase == Phase::Open && self.pace.until().is_some() {
                break;
            }
            match self.inbound.take(input) {
                Ok(None) => {}
                Ok(Some(Event::Nothing)) => self.pace.count(self.heard),
                Ok(Some(Event::Message(message))) => {
                    let mut state = self.shared.lock();
                    if self.phase == Phase::Open && state.receiving {
                        state.inbox = Some(message);
                        state.wake_receiver(task.waker());
                        return Read::News;
                    }
                    self.pace.count(self.heard);
                }
                Ok(Some(Event::Ping(payload))) => {
                    self.pace.count(self.heard);
                    if self.phase == Phase::Open {
                        let mut state = self.shared.lock();
                        frame::write(Opcode::Pong, &payload, &mut state.out);
                        if state.out.len() >= WRITE {
                            return Read::More;
                        }
                    }
                }
                Ok(Some(Event::Close(close))) => {
                    self.closed(close, task);
                    return Read::News;
                }
                Err(violation) => {
                    self.fail(violation, task);
                    return Read::News;
                }
            }
        }
        Read::More
    }

    /// The client's close frame: answered with its own code if it is the first, and then it is for us to end the connection.
    fn closed(&mut self, close: Close, task: &Context<'_>) {
        if self.phase == Phase::Open {
            let answer = close.code.map(|code| (code, ""));
            frame::write_close(answer, &mut self.shared.lock().out);
            self.end(End::Theirs(close), task);
        }
        self.start_ending();
    }

    /// Fails the connection (RFC 6455 7.1.7).
    fn fail(&mut self, violation: Violation, task: &Context<'_>) {
        tracing::debug!(target: "polywire", code = violation.code.as_u16(), "WebSocket broken: {}", violation.what);
        if self.phase == Phase::Open {
            frame::write_close(Some((violation.code, violation.what)), &mut self.shared.lock().out);
            self.end(End::Failed(ErrorKind::Violation), task);
        }
        self.start_ending();
        // No time to read at leisure for who does not play by the rules.
        self.await_end();
    }

    fn start_ending(&mut self) {
        let until = match self.phase {
            Phase::Open => Instant::now() + self.settings.slow,
            Phase::Closing { until } | Phase::Ending { until } => until,
        };
        self.phase = Phase::Ending { until };
        self.ahead = Bytes::new();
    }

    /// Whether that is how the connection was found to be lost: the handler, which waits in this task, is to be told.
    fn write(&mut self, task: &mut Context<'_>) -> bool {
        let written = self.poll_write(task);
        match &written {
            Poll::Pending => {
                self.stalled.get_or_insert_with(Instant::now);
            }
            Poll::Ready(Ok(())) => self.stalled = None,
            Poll::Ready(Err(error)) => self.lost(error, task),
        }
        if self.shut && self.ended {
            self.stream = None;
        }
        matches!(written, Poll::Ready(Err(_)))
    }

    /// Sends all there is to send, and in the end the end of our direction.
    fn poll_write(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_send(task))?;
        let Some(stream) = &mut self.stream else {
            return Poll::Ready(Ok(()));
        };
        let mut stream = Pin::new(stream);
        if self.unflushed {
            ready!(stream.as_mut().poll_flush(task))?;
            self.unflushed = false;
        }
        if matches!(self.phase, Phase::Ending { .. }) && !self.shut {
            ready!(stream.poll_shutdown(task))?;
            self.shut = true;
        }
        self.await_end();
        Poll::Ready(Ok(()))
    }

    fn poll_send(&mut self, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(stream) = &mut self.stream else {
            return Poll::Ready(Ok(()));
        };
        let mut stream = Pin::new(stream);
        let mut state = self.shared.lock();
        let was_full = state.out.len() >= MAX_WAITING;
        let outcome = loop {
            if state.out.is_empty() {
                // Not the room of it.
                state.out = BytesMut::new();
                break Poll::Ready(Ok(()));
            }
            match stream.as_mut().poll_write(task, &state.out) {
                Poll::Pending => break Poll::Pending,
                Poll::Ready(Ok(0)) => break Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                Poll::Ready(Err(error)) => break Poll::Ready(Err(error)),
                Poll::Ready(Ok(count)) => {
                    state.out.advance(count);
                    self.stalled = None;
                    self.unflushed = true;
                }
            }
        };
        let has_room = state.out.len() < MAX_WAITING;
        drop(state);
        if was_full && has_room {
            self.shared.news.notify_waiters();
        }
        outcome
    }
}
