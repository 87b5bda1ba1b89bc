//! Static files for Polywire, as a route or as a middleware: those of a folder, and those that are part of the program.
//!
//! Start with [`Files`], then [`Embedded`]. What it answers is [`FileAnswer`]; how it gets there is `files.rs`. Preconditions, ranges and content codings
//! are pure functions in modules of their own (`condition`, `range`, `coding`); the kernel keeps what is opened beneath the folder
//! (`folder`). This crate knows no transport: how the bytes of a file leave is theirs.

#[cfg(not(unix))]
compile_error!("pw-files opens files beneath a folder by descriptors: Unix only");

mod answer;
mod cache;
mod coding;
mod condition;
mod embedded;
mod error;
mod files;
mod folder;
mod load;
mod media;
mod multipart;
mod name;
mod range;
mod resource;
mod rules;
mod tag;
mod under;

pub use answer::FileAnswer;
pub use cache::CacheSize;
pub use embedded::Embedded;
pub use error::FolderError;
pub use files::Files;
pub use under::Under;
