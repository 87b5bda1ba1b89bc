//! Where source text and packages come from: cargo and the disk, or a map in tests.
//!
//! All that the generator's core sees of the world. Paths are relative to one directory, the one diagnostics are
//! printed from.

use std::io;

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};

use crate::package::{Dependency, Package};

/// A tree of source files, and the packages in it.
pub(crate) trait Sources {
    /// The text of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// The file is there and can't be read.
    fn read(&self, path: &Utf8Path) -> io::Result<Option<String>>;

    /// Every `.rs` file below a folder, in the order of their paths. What is below a folder of that folder with a `Cargo.toml`
    /// is another package's, and left out, as are hidden folders and cargo's `target`.
    ///
    /// # Errors
    /// The folder is there and can't be read.
    fn files(&self, below: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>>;

    /// The dependency that a package calls `name` in Rust.
    fn dependency(&self, of: &Package, name: &str) -> Dependency;
}
