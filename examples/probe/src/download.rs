//! A download of any length, made as it leaves.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// Bytes made at once, and given again and again.
const PIECE: usize = 64 << 10;

/// The rest of a download.
pub(crate) struct Download {
    left: u64,
}

impl Download {
    /// This many bytes.
    pub(crate) fn of(bytes: u64) -> Self {
        Self { left: bytes }
    }
}

impl Body for Download {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| super::content(PIECE));
        let length = self.left.min(PIECE as u64);
        self.left -= length;
        let piece = Bytes::from_static(&CONTENT[..length as usize]);
        Poll::Ready((length > 0).then(|| Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
