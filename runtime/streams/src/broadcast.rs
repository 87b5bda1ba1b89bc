//! One source, many clients, and a bound on what waits for the slowest of them.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use pin_project_lite::pin_project;
use tokio::sync::broadcast::{self, Receiver, error::RecvError};

/// Sends each item to all who have subscribed. A clone is the same broadcast; the streams of one end with its last clone.
///
/// It keeps its last items, as many as it was made for, and no more, however many clients there are and however slow: who is further
/// behind than that has lost some, and is dropped ([`subscribe`](Self::subscribe)) or told
/// ([`subscribe_telling`](Self::subscribe_telling)).
///
/// Every client gets a clone, so an item is cheap to clone: [`Rendered`](crate::Rendered) events, which are also rendered only once;
/// [`Prepared`](crate::Prepared) values, where clients choose the format; an [`Arc`](std::sync::Arc).
///
/// ```
/// use pw_core::{Respond, State};
/// use pw_streams::{Broadcast, Event, Events, Rendered};
///
/// struct News {
///     feed: Broadcast<Rendered>,
/// }
///
/// async fn publish(State(news): State<'_, News>, text: String) {
///     news.feed.send(Event::new().data(text));
/// }
///
/// async fn listen(State(news): State<'_, News>) -> impl Respond {
///     Events::new(news.feed.subscribe())
/// }
/// ```
///
/// A handler of a WebSocket [`listen`](Self::listen)s, and awaits one item after the other.
///
/// Wrong: a [`Typed`](crate::Typed) answer of one without [`until_stopping`](crate::Typed::until_stopping). It has no end of its own,
/// and NDJSON is waited for when the server goes down.
pub struct Broadcast<T> {
    sender: broadcast::Sender<T>,
}

impl<T: Clone + Send + 'static> Broadcast<T> {
    /// For as many items, rounded up to a power of two, as a client may be behind.
    ///
    /// # Panics
    /// For none, or half of all memory.
    pub fn new(capacity: usize) -> Self {
        Self {
            sender: broadcast::Sender::new(capacity),
        }
    }

    /// Sends an item to all who have subscribed before, and says how many those are. It waits for nobody.
    pub fn send(&self, item: impl Into<T>) -> usize {
        self.sender.send(item.into()).unwrap_or(0)
    }

    /// How many streams and listeners there are now.
    pub fn subscribers(&self) -> usize {
        self.sender.receiver_count()
    }

    /// What is sent from now on. A client that is too far behind is dropped: the stream fails, and its connection with it. Clients of
    /// events connect again by themselves.
    pub fn subscribe(&self) -> impl Stream<Item = Result<T, Lagged>> + Send + use<T> {
        Subscription::new(self, receive, false)
    }

    /// What is sent from now on. A client that is too far behind is told, by the item that `tell` makes of how many it has missed, and
    /// goes on with the oldest that is left.
    pub fn subscribe_telling<F>(&self, tell: F) -> impl Stream<Item = T> + Send + use<T, F>
    where
        F: FnMut(u64) -> T + Send + 'static,
    {
        Telling {
            items: Subscription::new(self, receive, true),
            tell,
        }
    }

    /// What is sent from now on, to be awaited: for a handler that does something else with it than answer, such as one of a WebSocket.
    ///
    /// Wrong: listening within the task that is handed to a WebSocket's `accept`. The task runs once the client has the answer, and what is
    /// sent in between is lost to a client that is already told it is in. Listen first, and move the listener in:
    ///
    /// ```
    /// # use pw_core::Problem;
    /// # use pw_streams::Broadcast;
    /// # struct Socket;
    /// # impl Socket { async fn send(&mut self, _: &str) -> Result<(), Problem> { Ok(()) } }
    /// # fn accept<H>(_: impl FnOnce(Socket) -> H) -> Result<(), Problem> where H: Future<Output = Result<(), Problem>> { Ok(()) }
    /// # fn talk(feed: &Broadcast<String>) -> Result<(), Problem> {
    /// let mut news = feed.listen();
    /// // WebSocket::options().accept(head, cx, ..)
    /// accept(async move |mut socket| {
    ///     while let Some(item) = news.next().await? {
    ///         socket.send(&item).await?;
    ///     }
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn listen(&self) -> Listener<T> {
        Listener {
            receiver: self.sender.subscribe(),
        }
    }
}

impl<T> Clone for Broadcast<T> {
    fn clone(&self) -> Self {
        Self {
            sender: self.sender.clone(),
        }
    }
}

impl<T> fmt::Debug for Broadcast<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Broadcast")
            .field("subscribers", &self.sender.receiver_count())
            .finish_non_exhaustive()
    }
}

/// One who listens to a [`Broadcast`].
///
/// ```
/// use pw_core::Problem;
/// use pw_streams::Broadcast;
/// # struct Socket;
/// # impl Socket {
/// #     async fn receive(&mut self) -> Result<Option<String>, Problem> { Ok(None) }
/// #     async fn send(&self, _: &str) -> Result<(), Problem> { Ok(()) }
/// # }
/// # async fn run(room: Broadcast<String>, sender: Socket, mut receiver: Socket) -> Result<(), Problem> {
/// // The halves of a WebSocket in a room: what one says, all hear.
/// let mut others = room.listen();
/// loop {
///     tokio::select! {
///         said = receiver.receive() => match said? {
///             Some(said) => { room.send(said); }
///             None => return Ok(()),
///         },
///         heard = others.next() => match heard? {
///             Some(heard) => sender.send(&heard).await?,
///             None => return Ok(()),
///         },
///     }
/// }
/// # }
/// ```
pub struct Listener<T> {
    receiver: Receiver<T>,
}

impl<T: Clone> Listener<T> {
    /// The next item; `None` once the last clone of the broadcast is gone and all was heard. It knows nothing of a server that goes down:
    /// there a WebSocket's `receive` ends, and an answer is better made of [`subscribe`](Broadcast::subscribe).
    ///
    /// Cancel safe: no item is lost if the future is dropped, in `select!` for one.
    ///
    /// # Errors
    /// It was too far behind, and has missed some. Listening goes on with the oldest that is left: `?` drops a client that is too slow,
    /// and a `match` tells it.
    pub async fn next(&mut self) -> Result<Option<T>, Lagged> {
        match self.receiver.recv().await {
            Ok(item) => Ok(Some(item)),
            Err(RecvError::Lagged(missed)) => Err(Lagged { missed }),
            Err(RecvError::Closed) => Ok(None),
        }
    }
}

impl<T> fmt::Debug for Listener<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").finish_non_exhaustive()
    }
}

/// A client was too slow for what it subscribed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lagged {
    missed: u64,
}

impl Lagged {
    /// How many items it has missed.
    pub fn missed(self) -> u64 {
        self.missed
    }
}

impl fmt::Display for Lagged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the client was too slow, and has missed {} items", self.missed)
    }
}

impl std::error::Error for Lagged {}

async fn receive<T: Clone>(mut receiver: Receiver<T>) -> (Result<T, RecvError>, Receiver<T>) {
    (receiver.recv().await, receiver)
}

pin_project! {
    /// What a receiver gets, and that it has missed some. The future of the next item is kept in place: an item costs no allocation.
    struct Subscription<R, F> {
        receive: R,
        #[pin]
        receiving: Option<F>,
        // Whether it goes on after it has missed some.
        stays: bool,
    }
}

impl<R, F> Subscription<R, F> {
    fn new<T>(broadcast: &Broadcast<T>, receive: R, stays: bool) -> Self
    where
        R: Fn(Receiver<T>) -> F,
    {
        Self {
            receiving: Some(receive(broadcast.sender.subscribe())),
            receive,
            stays,
        }
    }
}

impl<T, R, F> Stream for Subscription<R, F>
where
    R: Fn(Receiver<T>) -> F,
    F: Future<Output = (Result<T, RecvError>, Receiver<T>)>,
{
    type Item = Result<T, Lagged>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let Some(receiving) = this.receiving.as_mut().as_pin_mut() else {
            return Poll::Ready(None);
        };
        let (received, receiver) = ready!(receiving.poll(task));
        let (item, goes_on) = match received {
            Ok(item) => (Some(Ok(item)), true),
            Err(RecvError::Lagged(missed)) => (Some(Err(Lagged { missed })), *this.stays),
            Err(RecvError::Closed) => (None, false),
        };
        this.receiving.set(goes_on.then(|| (this.receive)(receiver)));
        Poll::Ready(item)
    }
}

pin_project! {
    struct Telling<S, F> {
        #[pin]
        items: S,
        tell: F,
    }
}

impl<T, S, F> Stream for Telling<S, F>
where
    S: Stream<Item = Result<T, Lagged>>,
    F: FnMut(u64) -> T,
{
    type Item = T;

    fn poll_next(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<T>> {
        let this = self.project();
        let item = ready!(this.items.poll_next(task));
        Poll::Ready(item.map(|item| item.unwrap_or_else(|lagged| (this.tell)(lagged.missed))))
    }
}
