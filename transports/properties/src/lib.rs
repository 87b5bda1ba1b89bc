//! What must hold of HTTP/1 and of WebSocket, whatever the bytes: properties, each a function of choices that a seed or a fuzzer makes.
//!
//! [`head`], [`framing`], [`chunked`] and [`answer`] are about `pw-h1`, beside a second and simpler reading of the same; [`connection`] is
//! about a whole connection on each transport, and [`socket`] about a WebSocket, beside tungstenite. A function returns if its property holds and panics, saying what does not, if it does
//! not. `tests/` runs each over seeds with `cargo test`; `transports/fuzz` has a fuzz target of three lines for each.

pub mod answer;
mod behaviour;
pub mod chunked;
pub mod connection;
pub mod framing;
pub mod head;
pub mod socket;
