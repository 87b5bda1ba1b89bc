//! HTTP/1.1 without I/O: heads, framing, chunked bodies, answer heads and refusals.
//!
//! Bytes in, verdicts and bytes out: this crate knows no socket, no buffer pool and no runtime, so that every transport that
//! speaks HTTP/1 gives the same answer to the same bytes. It is as strict as RFC 9112 allows: what two implementations
//! could read differently is refused, and a refusal always closes the connection.
//!
//! Start with [`HeadParser`], then [`BodyDecoder`] for what follows a head, [`encode`] for the way back and [`Refusal`] for
//! what is answered where there is no request to hand on. [`sniff`] tells HTTP/2 from HTTP/1 by the first bytes.

mod authority;
mod body;
mod class;
pub mod encode;
mod field;
mod head;
mod refusal;
mod rest;
mod scan;
mod sniff;
mod target;

pub use authority::is_valid as is_authority;
pub use body::{BodyDecoder, Step};
pub use head::{Framing, HeadParser, Verdict};
pub use refusal::Refusal;
pub use rest::Rest;
pub use sniff::{Sniff, sniff};
pub use target::check_path;
