//! Compressed content that comes over time.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame};
use pw_core::{BoxError, Content, ContentSource, ContentStream, Stopping};

use crate::Coding;
use crate::encoder::{Encoder, STEP};
use crate::file::FileReader;

/// Output leaves when there is so much of it, or when there is no more input for now.
const PIECE: usize = 16 * 1024;

/// Content, compressed as it is sent. A piece that comes alone leaves alone: whenever there is no more for now, what there was is
/// brought to an end that a client can read up to.
pub(crate) struct Compressed {
    source: Source,
    /// Of the source, not compressed yet.
    rest: Bytes,
    coding: Coding,
    /// How much is to come of a source that knew: with its length a transport could not see that it broke off.
    left: Option<u64>,
    /// Made when it is needed: an answer to HEAD never is.
    encoder: Option<Encoder>,
    /// It holds something back.
    holds: bool,
    /// How much was compressed since others had their turn.
    worked: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Running,
    /// All content has left.
    Trailers(Option<HeaderMap>),
}

enum Source {
    Bytes(Bytes),
    Stream(ContentStream),
    File(FileReader),
}

impl Source {
    fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let piece = match self {
            Self::Bytes(bytes) => {
                Some(Ok(std::mem::take(bytes))).filter(|piece| !matches!(piece, Ok(piece) if piece.is_empty()))
            }
            Self::Stream(stream) => return Pin::new(stream).poll_frame(task),
            Self::File(reader) => ready!(reader.poll(task)),
        };
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }
}

impl Compressed {
    pub(crate) fn new(content: Content, coding: Coding) -> Self {
        let left = match &content {
            Content::Bytes(bytes) => Some(bytes.len() as u64),
            Content::Stream(stream) => stream.size_hint().exact(),
            Content::File(part) => Some(part.length()),
        };
        Self {
            source: match content {
                Content::Bytes(bytes) => Source::Bytes(bytes),
                Content::Stream(stream) => Source::Stream(stream),
                Content::File(part) => Source::File(FileReader::new(part)),
            },
            rest: Bytes::new(),
            coding,
            left,
            encoder: None,
            holds: false,
            worked: 0,
            state: State::Running,
        }
    }

    fn encoder(&mut self) -> io::Result<&mut Encoder> {
        if self.encoder.is_none() {
            // Before the first byte it is all there will be.
            self.encoder = Some(Encoder::new(self.coding, self.left)?);
        }
        Ok(self.encoder.as_mut().expect("it was made"))
    }

    fn count(&mut self, come: u64) -> Result<(), BoxError> {
        if let Some(left) = &mut self.left {
            *left = left
                .checked_sub(come)
                .ok_or("the content is longer than it was said to be")?;
        }
        Ok(())
    }

    /// The next piece of output; `None` at the end.
    fn poll_piece(&mut self, task: &mut Context<'_>) -> Poll<Result<Option<Bytes>, BoxError>> {
        loop {
            if !self.rest.is_empty() {
                if self.worked >= STEP {
                    self.worked = 0;
                    // Not woken at once, which comes before the sockets: tokio looks at those first.
                    let turn = pin!(tokio::task::yield_now()).poll(task);
                    debug_assert!(turn.is_pending(), "the first poll of it wakes and waits");
                    return Poll::Pending;
                }
                let step = self.rest.split_to(self.rest.len().min(STEP));
                self.encoder()?.write(&step)?;
                self.holds = true;
                self.worked += step.len();
                if self.encoder()?.output().len() >= PIECE {
                    return Poll::Ready(Ok(self.take_output()));
                }
                continue;
            }
            let trailers = match self.source.poll(task) {
                Poll::Ready(Some(frame)) => match frame?.into_data() {
                    Ok(data) => {
                        self.encoder()?;
                        self.count(data.len() as u64)?;
                        self.rest = data;
                        continue;
                    }
                    Err(frame) => frame.into_trailers().ok(),
                },
                Poll::Ready(None) => None,
                Poll::Pending => {
                    self.worked = 0;
                    if std::mem::take(&mut self.holds) {
                        self.encoder()?.flush()?;
                        if let Some(piece) = self.take_output() {
                            return Poll::Ready(Ok(Some(piece)));
                        }
                    }
                    return Poll::Pending;
                }
            };
            if self.left.is_some_and(|left| left > 0) {
                return Poll::Ready(Err("the content is shorter than it was said to be".into()));
            }
            self.encoder()?;
            self.state = State::Trailers(trailers);
            let last = self.encoder.take().expect("it was made").finish()?;
            return Poll::Ready(Ok(Some(last.into())));
        }
    }

    fn take_output(&mut self) -> Option<Bytes> {
        let output = self.encoder.as_mut()?.output();
        (!output.is_empty()).then(|| std::mem::take(output).into())
    }
}

impl Body for Compressed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.state {
            State::Trailers(trailers) => Poll::Ready(trailers.take().map(|trailers| Ok(Frame::trailers(trailers)))),
            State::Running => match ready!(self.poll_piece(task)) {
                Ok(piece) => Poll::Ready(piece.map(|piece| Ok(Frame::data(piece)))),
                Err(error) => {
                    self.state = State::Trailers(None);
                    Poll::Ready(Some(Err(error)))
                }
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.state, State::Trailers(None))
    }
}

impl ContentSource for Compressed {
    fn begin(mut self: Pin<&mut Self>, stopping: &Stopping) {
        if let Source::Stream(stream) = &mut self.source {
            stream.begin(stopping);
        }
    }
}
