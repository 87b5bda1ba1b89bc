//! The content of an answer on its way through hyper: in the reply that it was made in, from where it is held, or as it comes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use pw_core::{BoxError, RequestHead, Stopping, Version};

use crate::held::Hold;
use crate::kit::Kit;
use crate::origin::Origin;
use crate::part::{self, Part};
use crate::streaming::Streaming;
use crate::turns::{Flow, Told, Turn};

/// Content of a reply's buffer up to this size stays in it, and keeps the kit until hyper is done; longer is taken out.
pub(crate) const KEPT: usize = 20 * 1024;

/// The content of an answer. What is in memory is one frame: hyper hands it on where it is.
pub(crate) struct Content(Source);

enum Source {
    Whole(Piece),
    /// Boxed, as the next: most answers are in memory, and all would be as large as these.
    Stream(Box<Streaming>),
    Part(Box<Part>),
}

/// Some of a content, as hyper takes it.
pub(crate) enum Piece {
    Shared(Bytes),
    Made(Made),
    Read(part::Piece),
    /// Those of an HTTP/2 stream. Boxed: hyper moves a piece some times, and all would be as large as these.
    SharedHeld(Box<(Bytes, Hold)>),
    ReadHeld(Box<(part::Piece, Hold)>),
}

impl Piece {
    fn shared(bytes: Bytes, hold: Option<Hold>) -> Self {
        match hold {
            None => Self::Shared(bytes),
            Some(hold) => Self::SharedHeld(Box::new((bytes, hold))),
        }
    }

    fn read(piece: part::Piece, hold: Option<Hold>) -> Self {
        match hold {
            None => Self::Read(piece),
            Some(hold) => Self::ReadHeld(Box::new((piece, hold))),
        }
    }
}

/// Content in a reply's buffer, and how far it has been read. The kit goes back once hyper is done with it.
pub(crate) struct Made {
    kit: Option<Box<Kit>>,
    read: usize,
}

impl Content {
    /// No content.
    pub(crate) const fn none() -> Self {
        Self(Source::Whole(Piece::Shared(Bytes::new())))
    }

    /// That of a complete reply, of which this was [taken](pw_core::Reply::take_content). `turn` is that of an HTTP/2 exchange; it ends
    /// with what comes over time, or here.
    #[inline]
    pub(crate) fn of(kit: Box<Kit>, taken: Option<pw_core::Content>, stopping: &Stopping, turn: Option<Turn>) -> Self {
        Self(Source::Whole(match taken {
            None if !kit.exchange.reply.content().is_empty() => Piece::Made(Made {
                kit: Some(kit),
                read: 0,
            }),
            None => {
                kit.give_back();
                Piece::Shared(Bytes::new())
            }
            Some(pw_core::Content::Bytes(bytes)) => {
                kit.give_back();
                Piece::Shared(bytes)
            }
            Some(over_time) => return Self::over_time(kit, over_time, stopping, turn),
        }))
    }

    #[cold]
    fn over_time(kit: Box<Kit>, content: pw_core::Content, stopping: &Stopping, turn: Option<Turn>) -> Self {
        let origin = Origin::of(&kit);
        let source = match content {
            pw_core::Content::Bytes(bytes) => Source::Whole(Piece::Shared(bytes)),
            pw_core::Content::File(part) => Source::Part(Box::new(Part::new(part, turn, origin))),
            pw_core::Content::Stream(stream) => {
                let is_sized = stream.size_hint().exact().is_some();
                let told = turn.map_or_else(
                    || Told::Http1 {
                        flow: Arc::new(Flow::new(is_sized || kit.head.version() == Version::Http11)),
                        trailers: kit.head.version() == Version::Http11
                            && !is_sized
                            && pw_h1::encode::takes_trailers(&kit.head),
                    },
                    |turn| {
                        let share = turn.share();
                        Told::Http2(turn, share)
                    },
                );
                Source::Stream(Box::new(Streaming::new(stream, stopping, told, origin)))
            }
        };
        // It may leave for as long as the client stays: nothing of the exchange waits for that.
        kit.give_back();
        Self(source)
    }

    /// What an HTTP/1 connection is told of it, if it is a stream.
    #[inline]
    pub(crate) fn flow(&self) -> Option<&Arc<Flow>> {
        match &self.0 {
            Source::Stream(streaming) => match streaming.told() {
                Told::Http1 { flow, .. } => Some(flow),
                Told::Http2(..) => None,
            },
            Source::Whole(_) | Source::Part(_) => None,
        }
    }
}

impl Body for Content {
    type Data = Piece;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Piece>, BoxError>>> {
        Poll::Ready(match &mut self.0 {
            Source::Whole(piece) => {
                let frame = std::mem::replace(piece, Piece::Shared(Bytes::new()));
                frame.has_remaining().then(|| Ok(Frame::data(frame)))
            }
            Source::Stream(streaming) => {
                let frame = ready!(streaming.poll(task));
                let piece = |bytes: Bytes| {
                    let hold = streaming.told().hold(bytes.len());
                    Piece::shared(bytes, hold)
                };
                frame.map(|frame| frame.map(|frame| frame.map_data(piece)))
            }
            Source::Part(part) => {
                let piece = ready!(part.poll(task));
                piece.map(|piece| piece.map(|piece| Frame::data(Piece::read(piece, part.take_hold()))))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Source::Whole(piece) => !piece.has_remaining(),
            Source::Stream(streaming) => streaming.is_over(),
            Source::Part(part) => part.left() == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        let left = match &self.0 {
            Source::Whole(piece) => Some(piece.remaining() as u64),
            Source::Stream(streaming) => streaming.left(),
            Source::Part(part) => Some(part.left()),
        };
        left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.chunk().len()
    }

    fn chunk(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Made(made) => made
                .kit
                .as_ref()
                .map_or(&[], |kit| &kit.exchange.reply.content()[made.read..]),
            Self::Read(piece) => piece.bytes(),
            Self::SharedHeld(held) => &held.0,
            Self::ReadHeld(held) => held.0.bytes(),
        }
    }

    fn advance(&mut self, count: usize) {
        match self {
            Self::Shared(bytes) => bytes.advance(count),
            Self::Made(made) => made.read += count,
            Self::Read(piece) => piece.advance(count),
            Self::SharedHeld(held) => held.0.advance(count),
            Self::ReadHeld(held) => held.0.advance(count),
        }
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        if let Some(kit) = self.kit.take() {
            kit.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(mut kit: Box<Kit>) -> Content {
        let taken = kit.exchange.reply.take_content(KEPT);
        Content::of(kit, taken, &Stopping::default(), None)
    }

    fn frames(content: Content) -> Vec<Vec<u8>> {
        let mut content = content;
        let declared = content.size_hint().exact().expect("a reply knows its length");
        let mut frames = Vec::new();
        let task = &mut Context::from_waker(std::task::Waker::noop());
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut content).poll_frame(task) {
            let mut frame = frame.into_data().ok().expect("a frame of data");
            let mut bytes = Vec::new();
            while frame.has_remaining() {
                bytes.push(frame.chunk()[0]);
                frame.advance(1);
            }
            frames.push(bytes);
        }
        assert!(content.is_end_stream());
        assert_eq!(frames.concat().len() as u64, declared);
        frames
    }

    fn place(content: &Content) -> *const u8 {
        match &content.0 {
            Source::Whole(piece) => piece.chunk().as_ptr(),
            Source::Stream(_) | Source::Part(_) => panic!("it is in memory"),
        }
    }

    #[test]
    fn small_content_is_one_frame_and_its_buffer_comes_back() {
        let mut kit = Box::<Kit>::default();
        kit.exchange.reply.buffer().extend_from_slice(b"hello");
        let place = kit.exchange.reply.buffer().as_ptr();
        assert_eq!(frames(of(kit)), [b"hello"]);
        let again = Kit::take().exchange.reply.buffer().as_ptr();
        assert_eq!(again, place);
    }

    #[test]
    fn large_content_is_taken_from_its_buffer_and_not_copied() {
        for length in [KEPT, KEPT + 1, 3 * KEPT + 7] {
            let whole: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let (mut made, mut shared) = (Box::<Kit>::default(), Box::<Kit>::default());
            made.exchange.reply.buffer().extend_from_slice(&whole);
            shared.exchange.reply.set_content(whole.clone());
            let places = [&made, &shared].map(|kit| kit.exchange.reply.content().as_ptr());
            let contents = [of(made), of(shared)];
            assert_eq!(contents.each_ref().map(place), places);
            assert_eq!(contents.map(frames), [[whole.clone()], [whole]]);
        }
    }

    #[test]
    fn some_statuses_have_no_content() {
        for status in [204, 205, 304] {
            let mut kit = Box::<Kit>::default();
            kit.exchange
                .reply
                .set_status(http::StatusCode::from_u16(status).unwrap());
            kit.exchange.reply.buffer().extend_from_slice(b"hello");
            assert!(of(kit).is_end_stream(), "{status}");
        }
    }
}
