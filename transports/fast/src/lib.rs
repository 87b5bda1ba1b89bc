//! Polywire's own transport: HTTP/1.1 on a thread per core, with pooled buffers and no heap allocation per request.
//!
//! Every worker is a thread with a current-thread runtime of tokio's, so handlers may await anything of the tokio world. A
//! connection is a small task that holds its socket and, while it is idle, nothing else. As soon as bytes come it takes a
//! kit of buffers and a place for a future from its worker's pools and runs a batch: requests are parsed by `pw-h1`, answered in
//! order and written together; then everything goes back. HTTP/2 is not spoken here.
//!
//! Start with `worker.rs` and `task.rs`, then `batch.rs` and `wire.rs`. This crate holds I/O; every policy is in
//! `pw-core`, `pw-h1` and `pw-server`.

mod alarms;
mod batch;
mod body;
mod buffers;
mod clock;
mod closing;
mod connection;
mod input;
mod io;
mod kit;
mod output;
mod runtime;
mod send;
mod server;
mod service;
mod shelf;
mod slots;
mod task;
mod wire;
mod worker;

pub use body::RequestBody;
pub use pw_server::{Config, Drained, Listener, Stop, StopHandle};
pub use runtime::run;
pub use server::serve;
pub use service::{Exchange, Head, Service};
pub use task::serve_connection;
pub use worker::Workers;
