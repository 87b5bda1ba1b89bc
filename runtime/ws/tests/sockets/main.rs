//! WebSockets over pipes: the handshake, the protocol frame by frame, what a handler is promised, what a flood costs, and what an idle
//! socket holds.

mod flood;
mod handshake;
mod memory;
mod protocol;
mod socket;
mod support;
