//! A stream on its way through hyper: what it gives is handed on as it is, and it is held to what it said.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame};
use pw_core::{BoxError, ContentStream, Stopping};

use crate::origin::Origin;
use crate::turns::Told;

/// See the module. It is dropped with the response, that is, when the client goes.
pub(crate) struct Streaming {
    stream: ContentStream,
    /// Bytes it still has to give, where it said how many.
    left: Option<u64>,
    /// What it gave behind its last data already.
    trailers: Option<HeaderMap>,
    /// Nothing more is asked of it.
    over: bool,
    /// How it broke off. hyper is told once it has written what was given before.
    broken: Option<BoxError>,
    told: Told,
    origin: Origin,
}

/// What comes next of a stream.
enum Next {
    Data(Bytes),
    Trailers(HeaderMap),
    End,
}

impl Streaming {
    pub(crate) fn new(mut stream: ContentStream, stopping: &Stopping, told: Told, origin: Origin) -> Self {
        stream.begin(stopping);
        Self {
            left: stream.size_hint().exact(),
            stream,
            trailers: None,
            over: false,
            broken: None,
            told,
            origin,
        }
    }

    /// How many bytes are still to come, if it said so.
    pub(crate) fn left(&self) -> Option<u64> {
        self.left
    }

    /// Who is told how far it has come.
    pub(crate) fn told(&self) -> &Told {
        &self.told
    }

    /// Whether there is nothing more to ask it for.
    pub(crate) fn is_over(&self) -> bool {
        self.over && self.trailers.is_none() && self.broken.is_none()
    }

    /// The next frame, which is not empty.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some(trailers) = self.trailers.take() {
            return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
        }
        if self.broken.is_some() {
            ready!(self.told.poll_left(task));
            return Poll::Ready(self.broken.take().map(Err));
        }
        if self.over {
            return Poll::Ready(None);
        }
        ready!(self.told.poll_room(task));
        let next = self.poll_frame(task);
        self.told.waits(next.is_pending());
        Poll::Ready(match ready!(next) {
            Ok(Next::Data(data)) => Some(Ok(Frame::data(data))),
            Ok(Next::Trailers(trailers)) => Some(Ok(Frame::trailers(trailers))),
            Ok(Next::End) => None,
            Err(error) => {
                self.over = true;
                self.origin.warn(&*error);
                self.broken = Some(error);
                self.told.waits(false);
                task.waker().wake_by_ref();
                return Poll::Pending;
            }
        })
    }

    fn poll_frame(&mut self, task: &mut Context<'_>) -> Poll<Result<Next, BoxError>> {
        let data = match ready!(self.poll_next(task))? {
            Next::Data(data) => data,
            last => return Poll::Ready(Ok(last)),
        };
        if self.left != Some(0) {
            // Said now, the end needs no frame of its own.
            self.over = self.left.is_none() && self.stream.is_end_stream();
            return Poll::Ready(Ok(Next::Data(data)));
        }
        // That is all it said it had. If it is known to have more, the client is not given what would make it whole.
        match self.poll_next(task) {
            Poll::Pending => {}
            Poll::Ready(Ok(Next::Trailers(trailers))) => self.trailers = Some(trailers),
            Poll::Ready(Ok(Next::End)) => {}
            Poll::Ready(Ok(Next::Data(_))) => unreachable!("there is none left"),
            Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
        }
        Poll::Ready(Ok(Next::Data(data)))
    }

    /// What the stream gives next, checked against what it said.
    fn poll_next(&mut self, task: &mut Context<'_>) -> Poll<Result<Next, BoxError>> {
        loop {
            let Some(frame) = ready!(Pin::new(&mut self.stream).poll_frame(task)).transpose()? else {
                return Poll::Ready(self.end().map(|()| Next::End));
            };
            let data = match frame.into_data() {
                Ok(data) => data,
                Err(frame) => {
                    self.end()?;
                    let trailers = frame
                        .into_trailers()
                        .ok()
                        .and_then(|trailers| self.told.trail(trailers));
                    return Poll::Ready(Ok(trailers.map_or(Next::End, Next::Trailers)));
                }
            };
            // An empty chunk would end the content.
            if data.is_empty() {
                continue;
            }
            if let Some(left) = &mut self.left {
                *left = left
                    .checked_sub(data.len() as u64)
                    .ok_or("it gives more bytes than it said")?;
            }
            return Poll::Ready(Ok(Next::Data(data)));
        }
    }

    /// It has come to its end.
    fn end(&mut self) -> Result<(), BoxError> {
        self.over = true;
        match self.left {
            Some(1..) => Err("it gives fewer bytes than it said".into()),
            _ => Ok(()),
        }
    }
}
