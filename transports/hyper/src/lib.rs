//! Polywire on hyper 1.x: HTTP/1.1 and cleartext HTTP/2 by prior knowledge, on a multi-threaded tokio.
//!
//! HTTP/1.1 is judged once, by `pw-h1`: hyper sits behind a gate that parses each head and body framing itself and hands
//! hyper a clean transcript of them, one request at a time, so that hyper never sees what was refused and can't read a
//! message otherwise than we did. Start with `connection.rs`, then `gate.rs` and `exchange.rs`; `server.rs` is what
//! `pw-server`, which accepts and drains, asks of a transport. This crate holds I/O; every policy is in `pw-core` and `pw-h1`.

mod body;
mod clock;
mod closing;
mod connection;
mod content;
mod exchange;
mod gate;
mod held;
mod http1;
mod http2;
mod input;
mod kit;
mod origin;
mod output;
mod part;
mod server;
mod streaming;
mod tunnel;
mod turns;
mod wire;

pub use body::RequestBody;
pub use connection::serve_connection;
pub use exchange::{Exchange, Head, Service};
pub use server::{Connections, serve};

pub use pw_server::{Config, Drained, Listener, Stop, StopHandle, make_room_for_descriptors};
