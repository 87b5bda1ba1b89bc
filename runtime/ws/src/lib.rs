//! WebSocket (RFC 6455, and RFC 8441 over HTTP/2) on a connection that was taken over with [`pw_core::Upgrade`].
//!
//! A handler opens a [`WebSocket`] with [`WebSocket::options`] and is given messages, raw or of its own types. What stands between
//! is done here: the handshake with its check of the origin, limits, pings, the close handshake, a client that is too slow, a
//! server that goes down. No transport is known here, and no extension is spoken (`permessage-deflate` is never offered).
//!
//! The layout of frames and the codes of close frames are tungstenite's. Its loop over messages is not used: it judges a frame when
//! all of it has come (what is no WebSocket at all may never end), takes lengths that are not in their shortest form, looks at a text
//! at the end of a frame, and keeps a buffer as large as the largest message for as long as a connection lasts. tokio-websockets and
//! fastwebsockets hold 8 KiB from the start. Here, an idle connection holds none; tests have tungstenite as the oracle.

mod close;
mod connection;
mod error;
mod frame;
mod handshake;
mod inbound;
mod message;
mod options;
mod origin;
mod pace;
mod shared;
mod socket;
mod wire;

pub use close::{Close, CloseCode};
pub use error::{Error, ErrorKind};
pub use handshake::{FOREIGN_ORIGIN, UPGRADE_REQUIRED};
pub use message::{Incoming, Message, Outgoing, Payload, Unfit};
pub use options::Options;
pub use socket::{Receiver, Sender, WebSocket};
