//! A part of a file on its way through hyper: in pieces, one at a time, read where nobody has to wait for the disk.

use std::cell::RefCell;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pw_core::{BoxError, FilePart};
use tokio::task::JoinHandle;

use crate::origin::Origin;
use crate::turns::Turn;

/// The most bytes of a piece.
const PIECE: usize = 64 * 1024;
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
        Self {
            buffer: buffer.unwrap_or_else(|| vec![0; PIECE].into()),
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
        let count = part.length().min(PIECE as u64) as usize;
        &mut self.buffer[..count]
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let buffer = mem::take(&mut self.buffer);
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
    begun: bool,
    /// The piece that is being read.
    reading: Option<JoinHandle<io::Result<Piece>>>,
    /// Where it is counted.
    turn: Option<Turn>,
    origin: Origin,
}

impl Part {
    pub(crate) fn new(part: FilePart, turn: Option<Turn>, origin: Origin) -> Self {
        Self {
            part,
            begun: false,
            reading: None,
            turn,
            origin,
        }
    }

    /// How many bytes are still to come.
    pub(crate) fn left(&self) -> u64 {
        self.part.length()
    }

    /// The next piece.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Result<Piece, BoxError>>> {
        if self.part.length() == 0 {
            return Poll::Ready(None);
        }
        let piece = self.poll_piece(task);
        if let Some(turn) = &mut self.turn {
            turn.set(piece.is_pending());
        }
        let piece = ready!(piece);
        match &piece {
            Ok(piece) => self.part.advance(piece.bytes().len() as u64),
            Err(error) => self.origin.warn(&**error),
        }
        Poll::Ready(Some(piece))
    }

    fn poll_piece(&mut self, task: &mut Context<'_>) -> Poll<Result<Piece, BoxError>> {
        let reading = match &mut self.reading {
            Some(reading) => reading,
            None => {
                if mem::replace(&mut self.begun, true) && !self.part.file().is_unchanged()? {
                    return Poll::Ready(Err("the file has changed while it was sent".into()));
                }
                let mut piece = Piece::new();
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
