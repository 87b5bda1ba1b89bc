//! A part of a file as content: by descriptor, so that a transport may let the kernel send it.

use std::fs::{File, Metadata};
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

/// A regular file that was opened, with what was known of it then.
#[derive(Debug)]
pub struct OpenFile {
    file: File,
    length: u64,
    modified: Option<SystemTime>,
    stamp: Stamp,
    copied: bool,
}

/// What differs once a file was written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Of the inode: seconds and nanoseconds. Nobody can set it back.
    changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let changed = {
            use std::os::unix::fs::MetadataExt;
            (metadata.ctime(), metadata.ctime_nsec())
        };
        #[cfg(not(unix))]
        let changed = (0, 0);
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            changed,
        }
    }
}

impl OpenFile {
    /// Looks at a file that was opened.
    ///
    /// # Errors
    /// The operating system's, and [`io::ErrorKind::InvalidInput`] for what is no regular file.
    pub fn new(file: File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        let stamp = Stamp::of(&metadata);
        Ok(Self {
            file,
            length: stamp.length,
            modified: stamp.modified,
            stamp,
            copied: false,
        })
    }

    /// Has it sent by copies of its pieces on every transport, never by reference (`sendfile`). A client then gets what was read while
    /// the file was as it is now, and a broken connection where it was written to in place, never a mixture. It costs two to three times
    /// the CPU where the kernel would have sent it.
    pub fn copied(self) -> Self {
        Self { copied: true, ..self }
    }

    /// Whether it is sent by [copies](Self::copied) alone.
    pub fn is_copied(&self) -> bool {
        self.copied
    }

    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Its length in bytes when it was opened.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// When it was last written to before it was opened, where the system says so.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }

    /// Whether it is still as it was: nobody has written to it, cut it, changed its metadata, or (on Unix) taken away its name, as
    /// putting another in its place does.
    ///
    /// # Errors
    /// The operating system's.
    pub fn is_unchanged(&self) -> io::Result<bool> {
        Ok(Stamp::of(&self.file.metadata()?) == self.stamp)
    }

    /// Reads at an offset, and does not move the file's own. `Ok(0)`: there is nothing there.
    ///
    /// # Errors
    /// The operating system's.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(&self.file, buffer, offset);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&self.file, buffer, offset);
    }
}

/// A part of a file as content. Cloning it opens nothing: one descriptor serves any number of answers, each at its own offset.
///
/// A file that is replaced by renaming is sent as it was, or the connection ends. One that is written to or cut in place ends it where
/// that is seen in time; what the kernel was given by reference (`sendfile`) it sends as it then is, unless the file is
/// [sent by copies](OpenFile::copied).
#[derive(Clone, Debug)]
pub struct FilePart {
    file: Arc<OpenFile>,
    start: u64,
    length: u64,
}

impl FilePart {
    /// `length` bytes from `start` on.
    ///
    /// # Panics
    /// The file is shorter.
    pub fn new(file: Arc<OpenFile>, start: u64, length: u64) -> Self {
        let end = start.checked_add(length);
        assert!(end.is_some_and(|end| end <= file.length()), "the part is in the file");
        Self { file, start, length }
    }

    /// All of it.
    pub fn whole(file: Arc<OpenFile>) -> Self {
        let length = file.length();
        Self { file, start: 0, length }
    }

    /// The file it is a part of.
    pub fn file(&self) -> &Arc<OpenFile> {
        &self.file
    }

    /// Where it begins in the file.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// How many bytes it has.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// This many bytes of it were sent: it is the rest from now on.
    ///
    /// # Panics
    /// It has fewer.
    pub fn advance(&mut self, count: u64) {
        assert!(count <= self.length, "no more is sent than there is");
        self.start += count;
        self.length -= count;
    }
}
