//! The content of an answer on its way through hyper, in the reply that it was made in.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};

use crate::kit::Kit;

/// How much of a large answer hyper copies at a time. hyper takes another frame as long as what the socket left of those before is less
/// than one, so a client that does not read holds nearly two; and the buffer they are in may have doubled as it grew. It must be more
/// than the gate copies.
pub(crate) const FRAME: usize = 20 * 1024;

/// The content of an answer: one frame if it is small, or frames of [`FRAME`] bytes.
pub(crate) struct Content(Piece);

/// Some of a content, as hyper takes it.
pub(crate) enum Piece {
    Shared(Bytes),
    Made(Made),
}

/// Content in a reply's buffer, and how far it has been read. The kit goes back once hyper is done with it.
pub(crate) struct Made {
    kit: Option<Box<Kit>>,
    read: usize,
}

impl Content {
    /// No content.
    pub(crate) const fn none() -> Self {
        Self(Piece::Shared(Bytes::new()))
    }

    /// That of a complete reply.
    pub(crate) fn of(mut kit: Box<Kit>) -> Self {
        let reply = &mut kit.exchange.reply;
        match reply.take_content(FRAME) {
            None if !reply.content().is_empty() => Self(Piece::Made(Made {
                kit: Some(kit),
                read: 0,
            })),
            taken => {
                kit.give_back();
                Self(Piece::Shared(taken.unwrap_or_default()))
            }
        }
    }
}

impl Body for Content {
    type Data = Piece;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Piece>, Infallible>>> {
        let frame = match &mut self.0 {
            Piece::Shared(bytes) if bytes.len() > FRAME => Piece::Shared(bytes.split_to(FRAME)),
            whole => std::mem::replace(whole, Piece::Shared(Bytes::new())),
        };
        Poll::Ready(frame.has_remaining().then(|| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        !self.0.has_remaining()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.remaining() as u64)
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
        }
    }

    fn advance(&mut self, count: usize) {
        match self {
            Self::Shared(bytes) => bytes.advance(count),
            Self::Made(made) => made.read += count,
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

    #[test]
    fn small_content_is_one_frame_and_its_buffer_comes_back() {
        let mut kit = Box::<Kit>::default();
        kit.exchange.reply.buffer().extend_from_slice(b"hello");
        let place = kit.exchange.reply.buffer().as_ptr();
        assert_eq!(frames(Content::of(kit)), [b"hello"]);
        let again = Kit::take().exchange.reply.buffer().as_ptr();
        assert_eq!(again, place);
    }

    #[test]
    fn large_content_is_several_frames() {
        for length in [FRAME, FRAME + 1, 3 * FRAME + 7] {
            let whole: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let (mut made, mut shared) = (Box::<Kit>::default(), Box::<Kit>::default());
            made.exchange.reply.buffer().extend_from_slice(&whole);
            shared.exchange.reply.set_content(whole.clone());
            let made = frames(Content::of(made));
            assert_eq!(made, frames(Content::of(shared)));
            assert_eq!(made.concat(), whole);
            assert!(made.iter().all(|frame| frame.len() <= FRAME));
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
            assert!(Content::of(kit).is_end_stream(), "{status}");
        }
    }
}
