//! A middleware that compresses answers, as the client's `Accept-Encoding` says: [`Compression`].
//!
//! It knows the contracts of `pw-core` and no transport: what is compressed leaves as content like any other, in memory or as a stream.
//!
//! | feature | what it adds |
//! |---|---|
//! | `zstd` | the coding `zstd`, through the library in C that it comes from: it needs a C compiler. `gzip` and `br` are Rust, and always there |

mod accept;
mod body;
mod coding;
mod eligible;
mod encoder;
mod file;
mod middleware;

pub use coding::Coding;
pub use middleware::{Compression, MIN_LENGTH};
