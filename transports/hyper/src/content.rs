//! The content of an answer on its way through hyper, in buffers that go back to where they came from.

use std::cell::RefCell;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};
use pw_core::Reply;

/// How much of a large answer hyper copies at a time, so that a client that does not read holds no more.
pub(crate) const FRAME: usize = 32 * 1024;
/// Larger buffers are not kept.
const KEEP: usize = 64 * 1024;
/// How many buffers a thread keeps.
const SPARE: usize = 64;

thread_local! {
    static POOL: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// The content of an answer: one frame if it is small, or frames of [`FRAME`] bytes.
pub(crate) struct Content(Piece);

/// Some of a content, as hyper takes it.
pub(crate) enum Piece {
    Shared(Bytes),
    /// A reply's buffer and how far it has been read.
    Made(Vec<u8>, usize),
}

impl Content {
    /// No content.
    pub(crate) const fn none() -> Self {
        Self(Piece::Shared(Bytes::new()))
    }

    /// What a complete reply holds.
    pub(crate) fn of(reply: &mut Reply) -> Self {
        Self(match reply.take_content() {
            pw_core::Content::Shared(bytes) => Piece::Shared(bytes),
            // Several frames of it share it.
            pw_core::Content::Made(buffer) if buffer.len() > FRAME => Piece::Shared(buffer.into()),
            pw_core::Content::Made(buffer) => Piece::Made(buffer, 0),
        })
    }

    /// Sees to it that a reply can be written without an allocation, if the thread has a buffer to spare.
    pub(crate) fn lend_buffer(reply: &mut Reply) {
        if reply.lacks_buffer()
            && let Some(buffer) = POOL.with_borrow_mut(Vec::pop)
        {
            *reply.buffer() = buffer;
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
            Self::Made(buffer, read) => &buffer[*read..],
        }
    }

    fn advance(&mut self, count: usize) {
        match self {
            Self::Shared(bytes) => bytes.advance(count),
            Self::Made(buffer, read) => {
                assert!(count <= buffer.len() - *read, "a buffer is not read past its end");
                *read += count;
            }
        }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if let Self::Made(buffer, _) = self
            && (1..=KEEP).contains(&buffer.capacity())
        {
            let mut buffer = std::mem::take(buffer);
            buffer.clear();
            POOL.with_borrow_mut(|pool| {
                if pool.len() < SPARE {
                    pool.push(buffer);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(reply: &mut Reply) -> Vec<Vec<u8>> {
        let mut content = Content::of(reply);
        let declared = content.size_hint().exact().expect("a reply knows its length");
        let mut frames = Vec::new();
        let task = &mut Context::from_waker(std::task::Waker::noop());
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut content).poll_frame(task) {
            frames.push(frame.into_data().ok().expect("a frame of data").chunk().to_vec());
        }
        assert!(content.is_end_stream());
        assert_eq!(frames.concat().len() as u64, declared);
        frames
    }

    #[test]
    fn small_content_is_one_frame_and_its_buffer_comes_back() {
        let mut reply = Reply::default();
        reply.buffer().extend_from_slice(b"hello");
        let place = reply.buffer().as_ptr();
        assert_eq!(frames(&mut reply), [b"hello"]);
        assert!(reply.lacks_buffer());
        Content::lend_buffer(&mut reply);
        assert_eq!((reply.buffer().as_ptr(), reply.buffer().len()), (place, 0));
    }

    #[test]
    fn large_content_is_several_frames() {
        for length in [FRAME, FRAME + 1, 3 * FRAME + 7] {
            let whole: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut reply = Reply::default();
            reply.buffer().extend_from_slice(&whole);
            let made = frames(&mut reply);
            reply.set_content(whole.clone());
            assert_eq!(frames(&mut reply), made);
            assert_eq!(made.concat(), whole);
            assert!(made.iter().all(|frame| frame.len() <= FRAME));
        }
    }
}
