//! Content that is not in a buffer: streams, and parts of files.
//!
//! A reply holds its content in one of four ways ([`Content`]); a transport takes it and sends it with bounded memory. Streams are
//! type-erased, once for each answer, and so `Send + 'static` on every transport: they outlive their handler.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use http::header::CONTENT_TYPE;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::file::FilePart;
use crate::recover;
use crate::{FieldValue, Problem, Reply, Respond, Stopping};

/// Any error, as a stream may end in one. Its text goes to the log, never to the client.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The content of an answer, as [`Reply::take`] gives it.
#[derive(Debug)]
pub enum Content {
    /// All of it, in memory.
    Bytes(Bytes),
    /// It comes over time.
    Stream(ContentStream),
    /// It is in a file.
    File(FilePart),
}

/// What makes content over time, with what no [`http_body::Body`] is told: that the server is going down.
pub trait ContentSource: Body<Data = Bytes, Error = BoxError> + Send + 'static {
    /// Called once, before the first poll. A source without an end of its own ends cleanly when the server is going down; others
    /// need not listen.
    fn begin(self: Pin<&mut Self>, stopping: &Stopping) {
        let _ = stopping;
    }
}

/// Content that comes over time. It is dropped as soon as the client has gone, and polled only when what it gave before is on its way.
///
/// If it knows its whole length ([`size_hint`](Body::size_hint)) the answer has a `content-length`, and a stream that then gives more
/// or less ends the connection; otherwise it leaves in chunks. An error, or a panic, in mid-stream ends the connection (HTTP/2: the
/// stream) without a clean end, and is logged, so that no client takes half of an answer for the whole.
pub struct ContentStream(Pin<Box<dyn ContentSource>>);

impl ContentStream {
    /// Of what the ecosystem calls a body.
    pub fn new<B>(body: B) -> Self
    where
        B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
    {
        Self::from_source(Erased { body })
    }

    /// Of a stream of pieces. Empty ones are passed over.
    pub fn of<S, D, E>(stream: S) -> Self
    where
        S: Stream<Item = Result<D, E>> + Send + 'static,
        D: Into<Bytes>,
        E: Into<BoxError>,
    {
        Self::from_source(Pieces { stream })
    }

    /// Of a source.
    pub fn from_source(source: impl ContentSource) -> Self {
        Self(Box::pin(source))
    }

    /// See [`ContentSource::begin`]: for transports, and for what wraps a stream.
    pub fn begin(&mut self, stopping: &Stopping) {
        self.0.as_mut().begin(stopping);
    }
}

impl Body for ContentStream {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let source = self.0.as_mut();
        match catch_unwind(AssertUnwindSafe(|| source.poll_frame(task))) {
            Ok(frame) => frame,
            Err(panic) => Poll::Ready(Some(Err(format!("it panicked: {}", recover::message(&*panic)).into()))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl fmt::Debug for ContentStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContentStream")
            .field("size", &self.size_hint().exact())
            .finish_non_exhaustive()
    }
}

pin_project! {
    struct Erased<B> {
        #[pin]
        body: B,
    }
}

impl<B> Body for Erased<B>
where
    B: Body<Data = Bytes, Error: Into<BoxError>>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(self.project().body.poll_frame(task));
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> ContentSource for Erased<B> where B: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static {}

pin_project! {
    struct Pieces<S> {
        #[pin]
        stream: S,
    }
}

impl<S, D, E> Body for Pieces<S>
where
    S: Stream<Item = Result<D, E>>,
    D: Into<Bytes>,
    E: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let piece = ready!(self.project().stream.poll_next(task));
        Poll::Ready(piece.map(|piece| piece.map(|data| Frame::data(data.into())).map_err(Into::into)))
    }
}

impl<S, D, E> ContentSource for Pieces<S>
where
    S: Stream<Item = Result<D, E>> + Send + 'static,
    D: Into<Bytes>,
    E: Into<BoxError>,
{
}

/// As an answer: `application/octet-stream`, piece by piece as the stream gives them.
///
/// ```
/// use futures_core::Stream;
/// use pw_core::Streamed;
/// fn numbers() -> Streamed<impl Stream<Item = Result<String, std::io::Error>>> {
///     # use std::{pin::Pin, task::{Context, Poll}};
///     # struct Numbers(u32);
///     # impl Stream for Numbers {
///     #     type Item = Result<String, std::io::Error>;
///     #     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
///     #         self.0 += 1;
///     #         Poll::Ready((self.0 < 10).then(|| Ok(format!("{}\n", self.0))))
///     #     }
///     # }
///     Streamed(Numbers(0))
/// }
/// ```
///
/// Wrong: a stream that only makes a `Vec` out of what is in memory already. Return the bytes: they leave with a length, in one piece.
#[derive(Clone, Copy, Debug)]
pub struct Streamed<S>(pub S);

impl<S, D, E> Respond for Streamed<S>
where
    S: Stream<Item = Result<D, E>> + Send + 'static,
    D: Into<Bytes>,
    E: Into<BoxError>,
{
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        ContentStream::of(self.0).respond(reply)
    }
}

/// `application/octet-stream`, as it comes.
impl Respond for ContentStream {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.insert(CONTENT_TYPE, FieldValue::from_static("application/octet-stream"));
        reply.set_stream(self);
        Ok(())
    }
}
