//! Server-sent events that a handler makes itself.

use std::time::Duration;

use futures_core::Stream;
use pw_core::{BoxError, Problem, Reply, RequestHead, Respond};

use crate::encode::Encode;
use crate::feed::{self, Settings};
use crate::piece::Piece;
use crate::typed::write_fields;
use crate::{Event, Format, Rendered};

/// A stream of server-sent events as an answer: `text/event-stream`, and 406 to a client that does not accept it. Its items are
/// [`Event`], [`Rendered`], `Result` of those, or what else implements [`EventItem`].
///
/// ```
/// use pw_core::Respond;
/// use pw_streams::{Event, Events};
/// # struct Clock;
/// # impl futures_core::Stream for Clock {
/// #     type Item = Event;
/// #     fn poll_next(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<Event>> {
/// #         std::task::Poll::Ready(Some(Event::new().name("time").data("12:00")))
/// #     }
/// # }
/// async fn clock() -> impl Respond {
///     Events::new(Clock)
/// }
/// ```
///
/// An event leaves as soon as it comes; those that are ready together leave together. After 15 s of silence a comment is sent. When the
/// server goes down the stream ends, after the last event that was sent; the client connects again, with its
/// [`LastEventId`](crate::LastEventId). It does the same after an error.
///
/// A browser opens no more than six connections to a host over HTTP/1.1, in all of its tabs together, and each stream holds one for as
/// long as it lasts. One stream for all that a page wants to know is better than one for each; HTTP/2 has no such bound.
///
/// Wrong: a stream that ends when there is nothing new. The client connects again at once, and so on for ever; let it pend.
///
/// Wrong: `Events<impl Stream<Item = Event>>` from a handler that borrows, its state for one. Such a type holds what was borrowed, which a
/// stream outlives: rustc says "borrowed data escapes" (E0521) of generated code. Write `impl Stream<Item = Event> + use<>`, and clone what
/// the stream needs.
#[derive(Debug)]
pub struct Events<S> {
    stream: S,
    settings: Settings,
}

impl<S> Events<S> {
    /// Of a stream.
    pub fn new(stream: S) -> Self {
        Self {
            stream,
            settings: Settings::default(),
        }
    }

    /// Of silence, before a comment says that the stream is alive; `None`: never. [`HEARTBEAT`](crate::HEARTBEAT) unless it is said.
    pub fn heartbeat(mut self, silence: impl Into<Option<Duration>>) -> Self {
        self.settings.heartbeat = silence.into();
        self
    }

    /// Tells clients, at the start, how long to wait before they connect again. Browsers have about 3 s of their own.
    pub fn retry(mut self, time: Duration) -> Self {
        self.settings.retry = Some(time);
        self
    }

    /// It ends soon: it runs to its own end when the server goes down.
    pub fn to_its_end(mut self) -> Self {
        self.settings.until_stopping = Some(false);
        self
    }
}

/// An item of a stream of [`Events`].
///
/// ```
/// use pw_core::BoxError;
/// use pw_streams::{Event, EventItem, Rendered};
/// struct Tick(u64);
/// impl EventItem for Tick {
///     fn into_event(self) -> Result<Rendered, BoxError> {
///         Ok(Event::new().name("tick").data(self.0.to_string()).render())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no event",
    label = "not `EventItem`",
    note = "events are `Event`, `Rendered`, `Result` of those and what implements `EventItem`; a stream of values that implement \
            `Serialize` is answered as `Typed`"
)]
pub trait EventItem {
    /// The event.
    ///
    /// # Errors
    /// What ends the stream in its place, without a clean end.
    fn into_event(self) -> Result<Rendered, BoxError>;
}

impl EventItem for Event {
    fn into_event(self) -> Result<Rendered, BoxError> {
        Ok(self.render())
    }
}

impl EventItem for Rendered {
    fn into_event(self) -> Result<Rendered, BoxError> {
        Ok(self)
    }
}

impl<I: EventItem, E: Into<BoxError>> EventItem for Result<I, E> {
    fn into_event(self) -> Result<Rendered, BoxError> {
        self.map_err(Into::into)?.into_event()
    }
}

impl<S> Respond for Events<S>
where
    S: Stream<Item: EventItem> + Send + 'static,
{
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        write_fields(Format::Events, reply);
        reply.set_stream(feed::content(self.stream, Render, Format::Events, self.settings));
        Ok(())
    }

    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        Format::negotiate(head, &[Format::Events])?;
        self.respond(reply)
    }
}

struct Render;

impl<I: EventItem> Encode<I> for Render {
    fn item(&mut self, item: I, piece: &mut Piece) -> Result<(), BoxError> {
        piece.push(item.into_event()?.into_bytes());
        Ok(())
    }
}
