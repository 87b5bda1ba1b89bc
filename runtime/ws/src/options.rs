//! What a handler may say of its WebSocket, and where it begins.

use std::time::Duration;

use http::header::ORIGIN;
use pw_core::{Problem, RequestHead, Upgrade, Upgraded};

use crate::connection::{self, Label};
use crate::origin::Origin;
use crate::{Incoming, Outgoing, WebSocket, handshake};

/// How a WebSocket is opened, and what is asked of its client. [`WebSocket::options`] are the defaults.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) protocols: Vec<String>,
    pub(crate) origins: Vec<String>,
    pub(crate) any_origin: bool,
    settings: Settings,
}

/// What holds for as long as a connection does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) max_message: usize,
    pub(crate) max_frame: usize,
    pub(crate) ping: Duration,
    pub(crate) idle: Duration,
    pub(crate) slow: Duration,
    pub(crate) close: Duration,
}

impl Default for Options {
    fn default() -> Self {
        let settings = Settings {
            max_message: 1 << 20,
            max_frame: 1 << 20,
            ping: Duration::from_secs(30),
            idle: Duration::from_secs(60),
            slow: Duration::from_secs(30),
            close: Duration::from_secs(2),
        };
        Self {
            protocols: Vec::new(),
            origins: Vec::new(),
            any_origin: false,
            settings,
        }
    }
}

impl Options {
    /// The sub-protocols the handler speaks, the best first: the first that the client offers is chosen, and
    /// [`WebSocket::protocol`] says which. Without one in common the socket is opened without one; browsers then close it.
    pub fn protocols(mut self, protocols: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.protocols = protocols.into_iter().map(Into::into).collect();
        self
    }

    /// Pages of these origins may open the socket, beside those of the host the request is for: `https://app.example`,
    /// `http://localhost:3000`. Clients that are no browsers send no origin, and may always.
    ///
    /// Wrong: relying on this instead of authentication. A client that is no browser can claim any origin; what this prevents is
    /// that a page of somebody else's uses the cookies of the browser it is shown in.
    ///
    /// # Panics
    /// One is no origin.
    pub fn origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.origins = origins.into_iter().map(Into::into).collect();
        for origin in &self.origins {
            let valid = Origin::parse(origin.as_bytes()).is_some();
            assert!(
                valid,
                "`{origin}` is no {ORIGIN}: write scheme, host and port, `https://app.example`"
            );
        }
        self
    }

    /// Pages of all origins may open the socket. Right where nothing depends on who is behind a browser: no cookie, no network
    /// that others can't reach.
    pub fn any_origin(mut self) -> Self {
        self.any_origin = true;
        self
    }

    /// The most bytes of a message from the client, in all its frames together; more closes with 1009. 1 MiB unless set.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.settings.max_message = bytes;
        self.settings.max_frame = bytes;
        self
    }

    /// The most bytes of one frame of it, likewise; as much as a message unless set, after [`max_message`](Self::max_message).
    pub fn max_frame(mut self, bytes: usize) -> Self {
        self.settings.max_frame = bytes;
        self
    }

    /// How often the client is sent a ping. 30 seconds unless set.
    pub fn ping(mut self, every: Duration) -> Self {
        self.settings.ping = every;
        self
    }

    /// How long the client may send nothing, no answer to a ping either, before it is given up with 1001. 60 seconds unless set;
    /// it should be more than the time between two pings. What the handler takes to receive what has come does not count.
    pub fn idle(mut self, most: Duration) -> Self {
        self.settings.idle = most;
        self
    }

    /// How long the client may take nothing of what waits for it before its connection is cut. 30 seconds unless set.
    pub fn slow(mut self, most: Duration) -> Self {
        self.settings.slow = most;
        self
    }

    /// Opens the socket, or says what the request lacks. `task` runs once the answer has left, for as long as the handler of the
    /// socket likes; when it ends, so does the socket: with 1000, or, where it ends in an error, with 1011. The error is logged and not
    /// sent. A panic counts as one.
    ///
    /// The task is not ended when its client has gone. It is told, by [`receive`](WebSocket::receive) and
    /// [`send`](WebSocket::send), or by [`Sender::closed`](crate::Sender::closed) where it waits for something else.
    ///
    /// A closure that uses nothing of what its messages are says whose they are: `async |mut socket: WebSocket| ..` is of raw ones.
    ///
    /// Wrong: `task` that uses what the handler borrowed, `State` or the head. It runs when the request is over, and the compiler says
    /// that something "escapes the function body": `__arg2` is its own name for an argument like `State(chat)`. Clone what the task needs,
    /// and `move` it in.
    ///
    /// Wrong: `feed.listen()` of a `Broadcast` in `task`. What is sent between the answer and the task's first step is lost; listen before
    /// `accept`, and `move` the listener in.
    ///
    /// # Errors
    /// 426 for a request that asks for no WebSocket or for another version, 400 for one without a valid key, 403 for a page of an
    /// origin that may not.
    pub fn accept<In, Out, F, H>(self, head: &impl RequestHead, cx: &mut impl Upgrade, task: F) -> Result<(), Problem>
    where
        In: Incoming + 'static,
        Out: Outgoing + 'static,
        F: FnOnce(WebSocket<In, Out>) -> H + Send + 'static,
        H: Future<Output = Result<(), Problem>> + Send + 'static,
    {
        let protocol = handshake::answer(head, cx.reply(), &self)?;
        let label = Label {
            route: head.route().map_or("-", |route| route.name()),
            request_id: cx.reply().request_id().map(Into::into),
        };
        let settings = self.settings;
        cx.upgrade(move |stream: Upgraded| connection::run(stream, settings, protocol, label, task));
        Ok(())
    }
}
