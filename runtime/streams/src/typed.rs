//! A stream of values, in the form that the client asks for.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::{Stream, TryStream};
use http::HeaderName;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, VARY};
use pin_project_lite::pin_project;
use pw_core::{BoxError, FieldValue, Problem, Reply, RequestHead, Respond};
use serde::Serialize;

use crate::encode::{Decorate, Values};
use crate::feed::{self, Settings};
use crate::{Event, Format};

/// A stream of values as an answer: server-sent events, NDJSON or a JSON array, as the client's `Accept` says; 406 if it says none of
/// them. Without an `Accept`, and for a client that likes several as well (`*/*`), it is NDJSON, or what [`prefer`](Self::prefer) says.
///
/// ```
/// use pw_core::Respond;
/// use pw_streams::Typed;
/// #[derive(serde::Serialize)]
/// struct Tick {
///     number: u64,
/// }
/// # struct Ticks;
/// # impl futures_core::Stream for Ticks {
/// #     type Item = Tick;
/// #     fn poll_next(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<Tick>> {
/// #         std::task::Poll::Ready(None)
/// #     }
/// # }
/// async fn ticks() -> impl Respond {
///     Typed::new(Ticks).events(|tick, event| event.id(tick.number).name("tick"))
/// }
/// ```
///
/// Values leave as soon as they come; those that are ready together leave together. A stream that can fail is a [`TryTyped`].
///
/// When the server goes down, events end after the last that was sent, and the client connects again, to another server. NDJSON and an
/// array run to their own end: a client could not tell half a list from a whole one. So a stream without an end of its own says
/// [`until_stopping`](Self::until_stopping), or it is cut off, and the shutdown waits for it until its timeout.
///
/// Wrong: `Typed` of a stream of `Result`s. If it compiles, clients get `{"Ok":...}`.
///
/// Wrong: `Typed<impl Stream<Item = Tick>>` from a handler that borrows, its state for one. Write `impl Stream<Item = Tick> + use<>`; see
/// [`Events`](crate::Events).
pub struct Typed<S: Stream>(TryTyped<Sure<S>>);

/// As [`Typed`], of a stream that can fail: its items are `Result<T, E>`. An error ends the connection (HTTP/2: the stream) without a
/// clean end, after the values before it. Its text goes to the log, not to the client.
///
/// What is read by blocking, rows of a database or lines of a file, is read on a thread for that, and comes through a channel. That bounds
/// how far it is ahead of its client, and tells it that the client has gone:
///
/// ```
/// use futures_util::stream;
/// use pw_core::Respond;
/// use pw_streams::TryTyped;
///
/// #[derive(serde::Serialize)]
/// struct Row {
///     id: u64,
/// }
///
/// // An iterator whose `next` blocks.
/// fn rows() -> impl Iterator<Item = Result<Row, std::io::Error>> {
///     (0..3).map(|id| Ok(Row { id }))
/// }
///
/// async fn export() -> impl Respond {
///     let (sender, receiver) = tokio::sync::mpsc::channel(16);
///     let reading = tokio::task::spawn_blocking(move || {
///         for row in rows() {
///             // An error: nobody reads any more.
///             if sender.blocking_send(row).is_err() {
///                 return;
///             }
///         }
///     });
///     TryTyped::new(stream::unfold((receiver, Some(reading)), async |(mut receiver, reading)| {
///         if let Some(row) = receiver.recv().await {
///             return Some((row, (receiver, reading)));
///         }
///         // The rows have ended, unless the thread has panicked: then they must not look whole.
///         let panic = reading?.await.err()?;
///         Some((Err(panic.into()), (receiver, None)))
///     }))
/// }
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// #     let mut reply = pw_core::Reply::default();
/// #     export().await.respond(&mut reply).unwrap();
/// # });
/// ```
///
/// Wrong: `stream::iter(rows())`. It blocks the thread that serves, and all whom that one serves.
///
/// Wrong: a stream whose first item is the error that it could not begin. The status has been sent by then; begin in the handler, and
/// return `Result<TryTyped<_>, Problem>`.
pub struct TryTyped<S: TryStream> {
    stream: S,
    preferred: Format,
    decorate: Option<Decorate<S::Ok>>,
    settings: Settings,
}

impl<S: Stream> Typed<S> {
    /// Of a stream.
    pub fn new(stream: S) -> Self {
        Self(TryTyped::new(Sure { stream }))
    }

    /// What a client gets that does not say, or likes it as well as others.
    pub fn prefer(self, format: Format) -> Self {
        Self(self.0.prefer(format))
    }

    /// Adds to a value's event: its id, its name. It is given the event with the value in it, as JSON.
    pub fn events(self, decorate: impl FnMut(&S::Item, Event) -> Event + Send + 'static) -> Self {
        Self(self.0.events(decorate))
    }

    /// Of silence, before events say that they are alive; `None`: never. [`HEARTBEAT`](crate::HEARTBEAT) unless it is said. NDJSON and
    /// arrays have no way to.
    pub fn heartbeat(self, silence: impl Into<Option<Duration>>) -> Self {
        Self(self.0.heartbeat(silence))
    }

    /// Tells clients of events, at the start, how long to wait before they connect again. Browsers have about 3 s of their own.
    pub fn retry(self, time: Duration) -> Self {
        Self(self.0.retry(time))
    }

    /// It has no end of its own: it ends cleanly when the server goes down, in each format.
    pub fn until_stopping(self) -> Self {
        Self(self.0.until_stopping())
    }

    /// It ends soon: events, too, run to their own end when the server goes down.
    pub fn to_its_end(self) -> Self {
        Self(self.0.to_its_end())
    }
}

impl<S: TryStream> TryTyped<S> {
    /// Of a stream.
    pub fn new(stream: S) -> Self {
        Self {
            stream,
            preferred: Format::Lines,
            decorate: None,
            settings: Settings::default(),
        }
    }

    /// See [`Typed::prefer`].
    pub fn prefer(mut self, format: Format) -> Self {
        self.preferred = format;
        self
    }

    /// See [`Typed::events`].
    pub fn events(mut self, decorate: impl FnMut(&S::Ok, Event) -> Event + Send + 'static) -> Self {
        self.decorate = Some(Box::new(decorate));
        self
    }

    /// See [`Typed::heartbeat`].
    pub fn heartbeat(mut self, silence: impl Into<Option<Duration>>) -> Self {
        self.settings.heartbeat = silence.into();
        self
    }

    /// See [`Typed::retry`].
    pub fn retry(mut self, time: Duration) -> Self {
        self.settings.retry = Some(time);
        self
    }

    /// See [`Typed::until_stopping`].
    pub fn until_stopping(mut self) -> Self {
        self.settings.until_stopping = Some(true);
        self
    }

    /// See [`Typed::to_its_end`].
    pub fn to_its_end(mut self) -> Self {
        self.settings.until_stopping = Some(false);
        self
    }

    /// The one that is preferred, then the others.
    fn offers(&self) -> [Format; 3] {
        match self.preferred {
            Format::Lines => [Format::Lines, Format::Events, Format::Array],
            Format::Events => [Format::Events, Format::Lines, Format::Array],
            Format::Array => [Format::Array, Format::Lines, Format::Events],
        }
    }
}

impl<S> Respond for Typed<S>
where
    S: Stream<Item: Serialize> + Send + 'static,
{
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        self.0.respond(reply)
    }

    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        self.0.respond_to(head, reply)
    }
}

impl<S, T, E> Respond for TryTyped<S>
where
    S: TryStream<Ok = T, Error = E> + Stream<Item = Result<T, E>> + Send + 'static,
    T: Serialize + 'static,
    E: Into<BoxError> + 'static,
{
    /// In the format that is preferred, where there is no request to ask.
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        let format = self.preferred;
        write_fields(format, reply);
        let values = Values::new(format, self.decorate);
        reply.set_stream(feed::content(self.stream, values, format, self.settings));
        Ok(())
    }

    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        let format = Format::negotiate(head, &self.offers())?;
        self.prefer(format).respond(reply)?;
        reply.append(VARY, FieldValue::from_static(ACCEPT_NAME));
        Ok(())
    }
}

const ACCEPT_NAME: &str = "accept";

/// Writes the fields of a format.
pub(crate) fn write_fields(format: Format, reply: &mut Reply) {
    debug_assert_eq!(ACCEPT, ACCEPT_NAME);
    // What nginx knows: to pass on what comes when it comes.
    const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");
    reply.insert(CONTENT_TYPE, FieldValue::from_static(format.media_type()));
    if format == Format::Events {
        reply.insert(CACHE_CONTROL, FieldValue::from_static("no-store"));
    }
    reply.insert(UNBUFFERED, FieldValue::from_static("no"));
}

pin_project! {
    /// A stream that can't fail, as one that can.
    struct Sure<S> {
        #[pin]
        stream: S,
    }
}

impl<S: Stream> Stream for Sure<S> {
    type Item = Result<S::Item, Infallible>;

    fn poll_next(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(ready!(self.project().stream.poll_next(task)).map(Ok))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.size_hint()
    }
}
