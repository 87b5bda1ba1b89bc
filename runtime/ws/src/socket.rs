//! A handler's side of a WebSocket: the socket, and the halves it can be taken apart into.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use crate::shared::{End, Shared};
use crate::{Close, CloseCode, Error, ErrorKind, Incoming, Message, Options, Outgoing};

/// A WebSocket: messages of type `In` come, messages of type `Out` are sent. Raw [`Message`]s unless said otherwise.
///
/// ```
/// use pw_core::{Problem, RequestHead, Upgrade};
/// use pw_ws::WebSocket;
///
/// #[derive(serde::Deserialize)]
/// struct Question { a: i64, b: i64 }
/// #[derive(serde::Serialize)]
/// struct Answer { sum: i64 }
///
/// async fn sums(head: &impl RequestHead, cx: &mut impl Upgrade) -> Result<(), Problem> {
///     WebSocket::options().accept(head, cx, async |mut socket: WebSocket<Question, Answer>| {
///         while let Some(Question { a, b }) = socket.receive().await? {
///             socket.send(&Answer { sum: a.wrapping_add(b) }).await?;
///         }
///         Ok(())
///     })
/// }
/// ```
///
/// Pings are answered, sent and waited for beside the handler, whatever it does. Messages are read as it receives them: one waits
/// here, the rest in the client.
///
/// Wrong: `select!` over `socket.receive()` and a broadcast, with `socket.send(..)` in an arm while the other is still borrowed.
/// [`split`](Self::split) it:
///
/// ```
/// # use pw_core::Problem;
/// use pw_ws::{Message, WebSocket};
/// use tokio::sync::broadcast;
/// async fn chat(socket: WebSocket, room: broadcast::Sender<Message>) -> Result<(), Problem> {
///     let mut others = room.subscribe();
///     let (sender, mut receiver) = socket.split();
///     loop {
///         tokio::select! {
///             message = receiver.receive() => match message? {
///                 Some(message) => { room.send(message).ok(); }
///                 None => return Ok(()),
///             },
///             message = others.recv() => sender.send(&message?).await?,
///         }
///     }
/// }
/// ```
#[derive(Debug)]
pub struct WebSocket<In = Message, Out = Message> {
    sender: Sender<Out>,
    receiver: Receiver<In>,
}

impl WebSocket {
    /// The defaults, to open a socket of any type with.
    pub fn options() -> Options {
        Options::default()
    }
}

impl<In: Incoming, Out: Outgoing> WebSocket<In, Out> {
    /// The next message; see [`Receiver::receive`].
    ///
    /// # Errors
    /// See there.
    pub async fn receive(&mut self) -> Result<Option<In>, Error> {
        self.receiver.receive().await
    }

    /// Sends a message; see [`Sender::send`].
    ///
    /// # Errors
    /// See there.
    pub async fn send(&self, message: &Out) -> Result<(), Error> {
        self.sender.send(message).await
    }
}

impl<In, Out> WebSocket<In, Out> {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            sender: Sender {
                shared: Arc::clone(&shared),
                of: PhantomData,
            },
            receiver: Receiver {
                shared,
                of: PhantomData,
            },
        }
    }

    /// The halves, for tasks that do both at once. They don't keep the socket open: the task given to
    /// [`accept`](Options::accept) does.
    pub fn split(self) -> (Sender<Out>, Receiver<In>) {
        (self.sender, self.receiver)
    }

    /// Closes the socket; see [`Sender::close`].
    pub fn close(&self, code: CloseCode, reason: &str) {
        self.sender.close(code, reason);
    }

    /// How the client said good-bye, once it did.
    pub fn goodbye(&self) -> Option<Close> {
        self.receiver.goodbye()
    }

    /// The sub-protocol that was chosen.
    pub fn protocol(&self) -> Option<&str> {
        self.sender.shared.protocol.as_deref()
    }

    /// The other end.
    pub fn peer(&self) -> SocketAddr {
        self.sender.shared.peer
    }
}

/// The half that sends. Clones send on the same socket.
pub struct Sender<Out = Message> {
    shared: Arc<Shared>,
    of: PhantomData<fn(&Out)>,
}

impl<Out: Outgoing> Sender<Out> {
    /// Sends a message: puts it behind those that wait, once fewer than 64 KiB do. That it returns does not say that the client
    /// has it.
    ///
    /// Cancel safe: a message is sent whole, or, if the future is dropped before it is ready, not at all.
    ///
    /// # Errors
    /// The socket is closed or broken; nothing can be sent any more. [`ErrorKind::Unwritable`] where this message can't be made.
    pub async fn send(&self, message: &Out) -> Result<(), Error> {
        let payload = message
            .to_payload()
            .map_err(|cause| Error::caused(ErrorKind::Unwritable, cause))?;
        while !self.shared.queue(&payload)? {
            let mut news = pin!(self.shared.news.notified());
            // Before the second look, or news between would be missed.
            news.as_mut().enable();
            if self.shared.queue(&payload)? {
                break;
            }
            news.await;
        }
        Ok(())
    }

    /// Sends a message if there is room for it now. `false`, and it is not sent: the client is behind.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn try_send(&self, message: &Out) -> Result<bool, Error> {
        let payload = message
            .to_payload()
            .map_err(|cause| Error::caused(ErrorKind::Unwritable, cause))?;
        self.shared.queue(&payload)
    }
}

impl<Out> Sender<Out> {
    /// Closes the socket, behind what was sent: nothing can be sent after, and [`receive`](Receiver::receive) ends. The client has
    /// two seconds to answer. A reason is for people who debug the client; no more than 123 bytes of it are sent.
    pub fn close(&self, code: CloseCode, reason: &str) {
        self.shared.close(code, reason);
    }

    /// Until the socket is closed or broken, by whoever it was. Cancel safe.
    pub async fn closed(&self) {
        loop {
            let mut news = pin!(self.shared.news.notified());
            news.as_mut().enable();
            if self.shared.lock().end.is_some() {
                return;
            }
            news.await;
        }
    }
}

impl<Out> Clone for Sender<Out> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            of: PhantomData,
        }
    }
}

impl<Out> fmt::Debug for Sender<Out> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender").finish_non_exhaustive()
    }
}

/// The half that receives. A handler that only sends drops it: what the client sends is then read and thrown away, where otherwise it
/// would wait, and with it the client's pings.
pub struct Receiver<In = Message> {
    shared: Arc<Shared>,
    of: PhantomData<fn() -> In>,
}

impl<In: Incoming> Receiver<In> {
    /// The next message. `None` at the end: the client has closed the socket, or this side did, or the server goes down.
    ///
    /// Cancel safe: no message is lost if the future is dropped, in `select!` for one.
    ///
    /// # Errors
    /// The connection broke, the client broke the rules or fell silent, or it sent what is no `In`; the socket is then closed. A
    /// handler passes it on with `?`.
    pub async fn receive(&mut self) -> Result<Option<In>, Error> {
        let Some(message) = poll_fn(|task| self.shared.poll_receive(task)).await? else {
            return Ok(None);
        };
        match In::from_message(message) {
            Ok(message) => Ok(Some(message)),
            Err(unfit) => {
                self.shared.close(unfit.code, "");
                Err(Error::caused(ErrorKind::Unfit, unfit.cause))
            }
        }
    }
}

impl<In> Receiver<In> {
    /// How the client said good-bye, once it did.
    pub fn goodbye(&self) -> Option<Close> {
        match &self.shared.lock().end {
            Some(End::Theirs(close)) => Some(close.clone()),
            _ => None,
        }
    }
}

impl<In> Drop for Receiver<In> {
    fn drop(&mut self) {
        self.shared.stop_receiving();
    }
}

impl<In> fmt::Debug for Receiver<In> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiver").finish_non_exhaustive()
    }
}
