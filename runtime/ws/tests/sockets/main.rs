//! WebSockets over pipes: the handshake, the protocol frame by frame, what a handler is promised, and what an idle socket holds.

mod handshake;
mod memory;
mod properties;
mod protocol;
mod socket;
mod support;
