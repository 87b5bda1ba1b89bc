//! `multipart/byteranges` (RFC 9110 14.6): several parts of one representation, each with what it is.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pw_core::OpenFile;

use crate::resource::Representation;

/// The most that is read of a file at once.
const PIECE: u64 = 64 * 1024;

/// What stands between the parts of one answer.
#[derive(Debug)]
pub(crate) struct Boundary(String);

impl Boundary {
    /// One that nobody can have put into a file.
    pub(crate) fn new() -> Self {
        let random = || RandomState::new().build_hasher().finish();
        Self(format!("{:016x}{:016x}", random(), random()))
    }

    /// The media type of the whole.
    pub(crate) fn media_type(&self) -> String {
        format!("multipart/byteranges; boundary={}", self.0)
    }

    /// What stands before a part.
    fn before(&self, of: &Representation, range: &Range<u64>, is_first: bool) -> String {
        let end = if is_first { "" } else { "\r\n" };
        let coding = match of.coding {
            Some(coding) => format!("content-encoding: {}\r\n", coding.name()),
            None => String::new(),
        };
        let (boundary, media_type) = (&self.0, &of.media_type);
        let (first, last, all) = (range.start, range.end - 1, of.length);
        format!(
            "{end}--{boundary}\r\ncontent-type: {media_type}\r\n{coding}content-range: bytes {first}-{last}/{all}\r\n\r\n"
        )
    }

    /// What stands behind the last.
    fn after(&self) -> String {
        format!("\r\n--{}--\r\n", self.0)
    }

    /// All of it, of bytes in memory.
    pub(crate) fn write(&self, of: &Representation, bytes: &[u8], ranges: &[Range<u64>], out: &mut Vec<u8>) {
        for (at, range) in ranges.iter().enumerate() {
            out.extend_from_slice(self.before(of, range, at == 0).as_bytes());
            out.extend_from_slice(&bytes[range.start as usize..range.end as usize]);
        }
        out.extend_from_slice(self.after().as_bytes());
    }
}

/// All of it, read from a file bit by bit as it is sent.
#[derive(Debug)]
pub(crate) struct FileParts {
    file: Arc<OpenFile>,
    pieces: VecDeque<Piece>,
    left: u64,
}

#[derive(Debug)]
enum Piece {
    Text(Bytes),
    File(Range<u64>),
}

impl FileParts {
    pub(crate) fn new(boundary: &Boundary, of: &Representation, file: Arc<OpenFile>, ranges: Vec<Range<u64>>) -> Self {
        let mut pieces = VecDeque::new();
        for (at, range) in ranges.into_iter().enumerate() {
            pieces.push_back(Piece::Text(boundary.before(of, &range, at == 0).into()));
            pieces.push_back(Piece::File(range));
        }
        pieces.push_back(Piece::Text(boundary.after().into()));
        let left = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.len() as u64,
            Piece::File(range) => range.end - range.start,
        });
        let left = left.sum();
        Self { file, pieces, left }
    }

    fn next(&mut self) -> io::Result<Option<Bytes>> {
        let piece = match self.pieces.pop_front() {
            None => return Ok(None),
            Some(Piece::Text(text)) => text,
            Some(Piece::File(range)) => {
                let mut buffer = vec![0; (range.end - range.start).min(PIECE) as usize];
                let read = self.file.read_at(&mut buffer, range.start)?;
                // Looked at after it was read: what was read before a change is as it was.
                if read == 0 || !self.file.is_unchanged()? {
                    return Err(io::Error::other("the file changed while parts of it were sent"));
                }
                buffer.truncate(read);
                let rest = range.start + read as u64..range.end;
                if !rest.is_empty() {
                    self.pieces.push_front(Piece::File(rest));
                }
                buffer.into()
            }
        };
        self.left -= piece.len() as u64;
        Ok(Some(piece))
    }
}

impl Body for FileParts {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(self.next().map(|piece| piece.map(Frame::data)).transpose())
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
