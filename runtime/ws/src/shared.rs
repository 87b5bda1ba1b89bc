//! What the halves of a socket and its connection have in common. Whoever holds the lock holds it for a moment, never across an
//! `await`.

use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::BytesMut;
use tokio::sync::Notify;

use crate::frame::{self, Opcode};
use crate::{Close, CloseCode, Error, ErrorKind, Message, Payload};

/// How much may wait to be sent before sending waits, and reading, too: pings can't make us remember more.
pub(crate) const MAX_WAITING: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Told when there is room to send, and at the end.
    pub(crate) news: Notify,
    pub(crate) protocol: Option<Box<str>>,
    pub(crate) peer: SocketAddr,
}

#[derive(Debug)]
pub(crate) struct State {
    /// Frames that wait to be sent.
    pub(crate) out: BytesMut,
    /// The message that was received last.
    pub(crate) inbox: Option<Message>,
    /// Whether anybody can receive it.
    pub(crate) receiving: bool,
    pub(crate) receiver: Option<Waker>,
    pub(crate) end: Option<End>,
    /// The close frame that the handler asks for.
    pub(crate) close: Option<(CloseCode, Box<str>)>,
    /// The connection's task, and whether it waits to be woken.
    pub(crate) connection: Option<Waker>,
    pub(crate) asleep: bool,
    /// Whether there is anything to do for it.
    pub(crate) touched: bool,
}

/// Why no message comes any more.
#[derive(Debug)]
pub(crate) enum End {
    Theirs(Close),
    Ours,
    Failed(ErrorKind),
}

impl Shared {
    pub(crate) fn new(protocol: Option<Box<str>>, peer: SocketAddr) -> Self {
        let state = State {
            out: BytesMut::new(),
            inbox: None,
            receiving: true,
            receiver: None,
            end: None,
            close: None,
            connection: None,
            asleep: false,
            touched: false,
        };
        Self {
            state: Mutex::new(state),
            news: Notify::new(),
            protocol,
            peer,
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that panics is called under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message behind those that wait. `false`: too much waits.
    pub(crate) fn queue(&self, payload: &Payload<'_>) -> Result<bool, Error> {
        let mut state = self.lock();
        match &state.end {
            None => {}
            Some(End::Failed(kind)) => return Err(Error::new(*kind)),
            Some(End::Theirs(_) | End::Ours) => return Err(Error::new(ErrorKind::Closed)),
        }
        if state.out.len() >= MAX_WAITING {
            return Ok(false);
        }
        let (opcode, bytes) = match payload {
            Payload::Text(text) => (Opcode::Text, text.as_bytes()),
            Payload::Binary(bytes) => (Opcode::Binary, &bytes[..]),
        };
        frame::write(opcode, bytes, &mut state.out);
        state.touch();
        Ok(true)
    }

    /// Takes the message that came.
    pub(crate) fn poll_receive(&self, task: &mut Context<'_>) -> Poll<Result<Option<Message>, Error>> {
        let mut state = self.lock();
        if let Some(message) = state.inbox.take() {
            state.touch();
            return Poll::Ready(Ok(Some(message)));
        }
        match &state.end {
            Some(End::Theirs(_) | End::Ours) => return Poll::Ready(Ok(None)),
            Some(End::Failed(kind)) => return Poll::Ready(Err(Error::new(*kind))),
            None => {}
        }
        match &mut state.receiver {
            Some(waker) => waker.clone_from(task.waker()),
            none => *none = Some(task.waker().clone()),
        }
        Poll::Pending
    }

    /// Asks for a close frame, behind what waits to be sent.
    pub(crate) fn close(&self, code: CloseCode, reason: &str) {
        let mut state = self.lock();
        if state.end.is_none() {
            state.end = Some(End::Ours);
            state.close = Some((code, reason.into()));
            state.touch();
        }
        drop(state);
        self.news.notify_waiters();
    }

    /// Nobody receives any more.
    pub(crate) fn stop_receiving(&self) {
        let mut state = self.lock();
        state.receiving = false;
        state.inbox = None;
        state.receiver = None;
        state.touch();
    }
}

impl State {
    /// There is something to do for the connection.
    fn touch(&mut self) {
        self.touched = true;
        if self.asleep
            && let Some(connection) = &self.connection
        {
            self.asleep = false;
            connection.wake_by_ref();
        }
    }

    /// There is something to do for whoever receives. In the connection's own task it is polled anyhow.
    pub(crate) fn wake_receiver(&mut self, own: &Waker) {
        if let Some(receiver) = self.receiver.take()
            && !receiver.will_wake(own)
        {
            receiver.wake();
        }
    }
}
