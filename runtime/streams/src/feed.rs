//! A stream of items as content: gathered into pieces, with signs of life, and with an end when the server goes down.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use http_body::{Body, Frame};
use pin_project_lite::pin_project;
use pw_core::{BoxError, ContentSource, ContentStream, Stopping};

use crate::encode::Encode;
use crate::event::push_retry;
use crate::heartbeat::Heartbeat;
use crate::piece::Piece;
use crate::{Format, HEARTBEAT};

/// Items that are ready together leave together, until there are this many bytes.
const PIECE: usize = 8 * 1024;

/// What a sign of life is: a comment without text.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// What an author may say of a feed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    /// Of silence, before a comment is sent. Events only.
    pub(crate) heartbeat: Option<Duration>,
    /// What a client is told at the start. Events only.
    pub(crate) retry: Option<Duration>,
    /// Whether it ends when the server goes down. Unless it is said, events do.
    pub(crate) until_stopping: Option<bool>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            heartbeat: Some(HEARTBEAT),
            retry: None,
            until_stopping: None,
        }
    }
}

/// The content that a stream becomes.
pub(crate) fn content<S, E>(stream: S, encode: E, format: Format, settings: Settings) -> ContentStream
where
    S: Stream + Send + 'static,
    E: Encode<S::Item>,
{
    let is_events = format == Format::Events;
    let mut piece = Piece::default();
    if let Some(retry) = settings.retry.filter(|_| is_events) {
        push_retry(piece.buffer(), retry);
        piece.buffer().push(b'\n');
    }
    ContentStream::from_source(Feed {
        stream,
        encode,
        piece,
        state: State::Running,
        heartbeat: Heartbeat::new(settings.heartbeat.filter(|_| is_events)),
        until_stopping: settings.until_stopping.unwrap_or(is_events),
        stopping: None,
        begun: None,
        wait: Stopping::begun,
    })
}

#[derive(Debug)]
enum State {
    Running,
    Failed(BoxError),
    Ended,
}

pin_project! {
    struct Feed<S, E, W, F> {
        #[pin]
        stream: S,
        encode: E,
        piece: Piece,
        state: State,
        #[pin]
        heartbeat: Heartbeat,
        until_stopping: bool,
        stopping: Option<Stopping>,
        // Its type has no name; what makes it has.
        #[pin]
        begun: Option<F>,
        wait: W,
    }
}

impl<S, E, W, F> Feed<S, E, W, F>
where
    S: Stream,
    E: Encode<S::Item>,
    F: Future<Output = ()>,
{
    /// Gathers what is ready. `Pending`: nothing is.
    fn poll_gather(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        // A stream that never pends would not be asked below.
        if this.stopping.as_ref().is_some_and(Stopping::has_begun) {
            this.encode.end(this.piece);
            *this.state = State::Ended;
            return Poll::Ready(());
        }
        loop {
            match this.stream.as_mut().poll_next(task) {
                Poll::Ready(Some(item)) => match this.encode.item(item, this.piece) {
                    Ok(()) if this.piece.len() < PIECE => {}
                    Ok(()) => return Poll::Ready(()),
                    Err(error) => {
                        *this.state = State::Failed(error);
                        return Poll::Ready(());
                    }
                },
                Poll::Ready(None) => {
                    this.encode.end(this.piece);
                    *this.state = State::Ended;
                    return Poll::Ready(());
                }
                Poll::Pending if !this.piece.is_empty() => return Poll::Ready(()),
                Poll::Pending => break,
            }
        }
        if let Some(begun) = this.begun.as_mut().as_pin_mut()
            && begun.poll(task).is_ready()
        {
            this.encode.end(this.piece);
            *this.state = State::Ended;
            return Poll::Ready(());
        }
        if this.heartbeat.poll_due(task).is_ready() {
            this.piece.push(COMMENT);
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

impl<S, E, W, F> Body for Feed<S, E, W, F>
where
    S: Stream,
    E: Encode<S::Item>,
    F: Future<Output = ()>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if matches!(self.state, State::Running) && self.as_mut().poll_gather(task).is_pending() {
            return Poll::Pending;
        }
        let this = self.project();
        if !this.piece.is_empty() {
            this.heartbeat.sent();
            return Poll::Ready(Some(Ok(Frame::data(this.piece.take()))));
        }
        match std::mem::replace(this.state, State::Ended) {
            // What was gathered before it has left.
            State::Failed(error) => Poll::Ready(Some(Err(error))),
            State::Running | State::Ended => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.state, State::Ended) && self.piece.is_empty()
    }
}

impl<S, E, W, F> ContentSource for Feed<S, E, W, F>
where
    S: Stream + Send + 'static,
    E: Encode<S::Item>,
    W: Fn(&Stopping) -> F + Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    fn begin(self: Pin<&mut Self>, stopping: &Stopping) {
        let mut this = self.project();
        if *this.until_stopping {
            this.begun.set(Some((this.wait)(stopping)));
            *this.stopping = Some(stopping.clone());
        }
    }
}
