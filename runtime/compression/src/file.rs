//! The bytes of a part of a file, piece by piece.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use pw_core::{BoxError, FilePart};
use tokio::task::{JoinHandle, spawn_blocking};

/// How much is read at once.
const PIECE: u64 = 64 * 1024;

/// Reads a part of a file, where a disk may take its time.
#[derive(Debug)]
pub(crate) struct FileReader {
    part: FilePart,
    reading: Option<JoinHandle<io::Result<Bytes>>>,
}

impl FileReader {
    pub(crate) fn new(part: FilePart) -> Self {
        Self { part, reading: None }
    }

    /// The next piece.
    pub(crate) fn poll(&mut self, task: &mut Context<'_>) -> Poll<Option<Result<Bytes, BoxError>>> {
        if self.part.length() == 0 {
            return Poll::Ready(None);
        }
        let part = &self.part;
        let reading = self.reading.get_or_insert_with(|| {
            let part = part.clone();
            spawn_blocking(move || read(&part))
        });
        let read = ready!(Pin::new(reading).poll(task));
        self.reading = None;
        let piece = read??;
        self.part.advance(piece.len() as u64);
        Poll::Ready(Some(Ok(piece)))
    }
}

fn read(part: &FilePart) -> io::Result<Bytes> {
    let mut piece = vec![0; part.length().min(PIECE) as usize];
    let mut come = 0;
    while come < piece.len() {
        match part.file().read_at(&mut piece[come..], part.start() + come as u64) {
            Ok(0) => return Err(io::Error::other("the file has become shorter while it was sent")),
            Ok(count) => come += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    // Afterwards: what was read is then of the file as it was opened.
    match part.file().is_unchanged()? {
        true => Ok(piece.into()),
        false => Err(io::Error::other("the file has changed while it was sent")),
    }
}
