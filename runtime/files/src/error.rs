//! Why a folder can't be served.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The folder is not there, is no folder, or may not be read. It names the folder, and its source says why.
#[derive(Debug)]
pub struct FolderError {
    folder: PathBuf,
    source: io::Error,
}

impl FolderError {
    pub(crate) fn new(folder: &Path, source: io::Error) -> Self {
        Self {
            folder: folder.to_owned(),
            source,
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it is not there.
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the folder `{}` can't be served", self.folder.display())
    }
}

impl Error for FolderError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}
