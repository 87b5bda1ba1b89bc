//! The content of an answer on its way through hyper, in the reply that it was made in.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};

use crate::kit::Kit;

/// Content of a reply's buffer up to this size stays in it, and keeps the kit until hyper is done; longer is taken out.
const KEPT: usize = 20 * 1024;

/// The content of an answer, in one frame: hyper hands it on where it is.
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
        match reply.take_content(KEPT) {
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
        let frame = std::mem::replace(&mut self.0, Piece::Shared(Bytes::new()));
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
    fn large_content_is_taken_from_its_buffer_and_not_copied() {
        for length in [KEPT, KEPT + 1, 3 * KEPT + 7] {
            let whole: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let (mut made, mut shared) = (Box::<Kit>::default(), Box::<Kit>::default());
            made.exchange.reply.buffer().extend_from_slice(&whole);
            shared.exchange.reply.set_content(whole.clone());
            let places = [&made, &shared].map(|kit| kit.exchange.reply.content().as_ptr());
            let contents = [Content::of(made), Content::of(shared)];
            assert_eq!(contents.each_ref().map(|content| content.0.chunk().as_ptr()), places);
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
            assert!(Content::of(kit).is_end_stream(), "{status}");
        }
    }
}
