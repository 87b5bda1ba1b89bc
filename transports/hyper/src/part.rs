//! A part of a file on its way through hyper: in pieces, one at a time, read where nobody has to wait for the disk.

use std::cell::RefCell;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pw_core::{BoxError, FilePart};
use tokio::task::JoinHandle;

use crate::held::{Hold, Share};
use crate::origin::Origin;
use crate::turns::Turn;

/// The most bytes of a piece.
const PIECE: usize = 64 * 1024;
/// The same on HTTP/2: as long as a frame of the usual size.
const PIECE_OF_STREAM: usize = 16 * 1024;
/// And where its connection [holds](crate::held) enough already.
const LEAST: usize = 2 * 1024;
/// How many buffers a thread keeps for pieces.
const SPARE: usize = 16;

thread_local! {
    static POOL: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
}

/// A piece of a file.
pub(crate) struct Piece {
    /// Initialised to its whole length; `start..end` is what is to be sent.
    buffer: Box<[u8]>,
    start: u32,
    end: u32,
}

impl Piece {
    fn new() -> Self {
        let buffer = POOL.with_borrow_mut(Vec::pop);
        Self::within(buffer.unwrap_or_else(|| vec![0; PIECE].into()))
    }

    fn of_stream(size: usize) -> Self {
        Self::within(vec![0; size].into())
    }

    fn within(buffer: Box<[u8]>) -> Self {
        Self {
            buffer,
            start: 0,
            end: 0,
        }
    }

    /// What is to be sent of it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start as usize..self.end as usize]
    }

    /// So many bytes were sent.
    pub(crate) fn advance(&mut self, count: usize) {
        assert!(count <= self.bytes().len(), "no more is sent than there is");
        self.start += count as u32;
    }

    fn room(&mut self, part: &FilePart) -> &mut [u8] {
        let count = part.length().min(self.buffer.len() as u64) as usize;
        &mut self.buffer[..count]
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let buffer = mem::take(&mut self.buffer);
        if buffer.len() != PIECE {
            return;
        }
        POOL.with_borrow_mut(|pool| {
            if pool.len() < SPARE {
                pool.push(buffer);
            }
        });
    }
}

/// See the module.
pub(crate) struct Part {
    /// What is left.
    part: FilePart,
    /// The piece that is being read.
    reading: Option<JoinHandle<io::Result<Piece>>>,
    /// That it, or the last one, is held.
    hold: Option<Hold>,
    /// Where it is counted, and what it holds, on HTTP/2.
    turn: Option<(Turn, Share)>,
    origin: Origin,
}

impl Part {
    pub(crate) fn new(part: FilePart, turn: Option<Turn>, origin: Origin) -> Self {
        Self {
            part,
            reading: None,
            hold: None,
            turn: turn.map(|turn| {
                let share = turn.share();
                (turn, share)
            }),
            origin,
        }
    }

    /// How many bytes are still to come.
    pub(crate) fn left(&self) -> u64 {
        self.part.length()
    }

    /// That the piece which was just given is held, on HTTP/2.
    pub(crate) fn take_hold(&mut self) -> Option<Hold> {
        self.hold.take()
    }

    /// The next piece.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Result<Piece, BoxError>>> {
        if self.part.length() == 0 {
            return Poll::Ready(None);
        }
        let mut most = PIECE;
        if let (Some((_, share)), None) = (&self.turn, &self.reading) {
            most = ready!(share.poll_room(task)).clamp(LEAST, PIECE_OF_STREAM);
        }
        let piece = self.poll_piece(most, task).map(|piece| self.checked(piece?));
        if let Some((turn, _)) = &mut self.turn {
            turn.set(piece.is_pending());
        }
        let piece = ready!(piece);
        match &piece {
            Ok(piece) => self.part.advance(piece.bytes().len() as u64),
            Err(error) => self.origin.warn(&**error),
        }
        Poll::Ready(Some(piece))
    }

    /// Reads a piece of `most` bytes at most, unless one is being read.
    fn poll_piece(&mut self, most: usize, task: &mut Context<'_>) -> Poll<Result<Piece, BoxError>> {
        let reading = match &mut self.reading {
            Some(reading) => reading,
            None => {
                let mut piece = match &self.turn {
                    None => Piece::new(),
                    Some((_, share)) => {
                        let left = usize::try_from(self.part.length()).unwrap_or(usize::MAX);
                        let size = most.min(left);
                        self.hold = Some(share.hold(size));
                        Piece::of_stream(size)
                    }
                };
                if read_cached(&self.part, &mut piece) {
                    return Poll::Ready(Ok(piece));
                }
                let part = self.part.clone();
                self.reading
                    .insert(tokio::task::spawn_blocking(move || read(&part, piece)))
            }
        };
        let read = ready!(Pin::new(reading).poll(task));
        self.reading = None;
        Poll::Ready(Ok(read??))
    }

    /// What was read, if the file was still as it was when it was opened.
    fn checked(&self, piece: Piece) -> Result<Piece, BoxError> {
        match self.part.file().is_unchanged()? {
            true => Ok(piece),
            false => Err("the file has changed while it was sent".into()),
        }
    }
}

/// Reads a piece, however long the disk takes.
fn read(part: &FilePart, mut piece: Piece) -> io::Result<Piece> {
    let room = piece.room(part);
    let (mut come, count) = (0, room.len());
    while come < count {
        match part.file().read_at(&mut room[come..], part.start() + come as u64) {
            Ok(0) => return Err(io::Error::other("the file has become shorter while it was sent")),
            Ok(count) => come += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    piece.end = come as u32;
    Ok(piece)
}

/// Reads as much of a piece as is in memory already. Whether that was anything: what is wrong with the file shows when it is read.
#[cfg(target_os = "linux")]
fn read_cached(part: &FilePart, piece: &mut Piece) -> bool {
    use rustix::io::{ReadWriteFlags, preadv2};
    let room = &mut [io::IoSliceMut::new(piece.room(part))];
    let count = preadv2(part.file().file(), room, part.start(), ReadWriteFlags::NOWAIT).unwrap_or(0);
    piece.end = count as u32;
    count > 0
}

#[cfg(not(target_os = "linux"))]
fn read_cached(_: &FilePart, _: &mut Piece) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::future::poll_fn;
    use std::io::Write;
    use std::sync::Arc;

    use pw_core::OpenFile;

    use super::*;
    use crate::kit::Kit;

    /// A file of so many bytes, open for writing, and as an answer has it.
    fn file(length: usize) -> (File, FilePart) {
        let name = format!("pw-hyper-{}-{length}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, vec![b'x'; length]).expect("a file can be written");
        let writable = File::options().append(true).open(&path).expect("it is there");
        let file = File::open(&path).expect("it is there");
        // Before it is looked at: to lose its name changes it, too.
        std::fs::remove_file(&path).expect("it is still there");
        let open = OpenFile::new(file).expect("it is a file");
        (writable, FilePart::whole(Arc::new(open)))
    }

    async fn next(part: &mut Part) -> Option<Result<usize, String>> {
        let piece = poll_fn(|task| part.poll(task)).await?;
        Some(
            piece
                .map(|piece| piece.bytes().len())
                .map_err(|error| error.to_string()),
        )
    }

    #[tokio::test]
    async fn a_file_comes_in_pieces() {
        let (_, part) = file(2 * PIECE + 7);
        let mut part = Part::new(part, None, Origin::of(&Kit::default()));
        let mut come = 0;
        while let Some(piece) = next(&mut part).await {
            let length = piece.expect("nobody writes to it");
            assert!(length <= PIECE);
            come += length;
        }
        assert_eq!((come, part.left()), (2 * PIECE + 7, 0));
    }

    #[tokio::test]
    async fn a_mixture_is_not_taken_for_the_file() {
        for change in [
            |file: &mut File| file.set_len(PIECE as u64 + 1).expect("it can be cut"),
            |file: &mut File| file.write_all(b"more").expect("it can be written to"),
        ] {
            let (mut writable, part) = file(2 * PIECE);
            let mut part = Part::new(part, None, Origin::of(&Kit::default()));
            assert!(matches!(next(&mut part).await, Some(Ok(1..))));
            change(&mut writable);
            let error = next(&mut part).await.expect("there is more of it");
            assert_eq!(error, Err("the file has changed while it was sent".to_owned()));
        }
    }

    #[tokio::test]
    async fn what_changed_before_its_first_piece_is_not_sent() {
        let (mut writable, part) = file(100);
        writable.write_all(b"more").expect("it can be written to");
        let mut part = Part::new(part, None, Origin::of(&Kit::default()));
        assert!(matches!(next(&mut part).await, Some(Err(_))));
    }

    #[test]
    fn what_is_not_there_is_not_made_up() {
        let (writable, part) = file(100);
        writable.set_len(50).expect("it can be cut");
        assert!(read(&part, Piece::new()).is_err());
        let (_, part) = file(101);
        assert_eq!(
            read(&part, Piece::new()).map(|piece| piece.bytes().len()).ok(),
            Some(101)
        );
    }
}
