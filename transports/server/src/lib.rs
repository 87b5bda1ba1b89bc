//! What every transport's server does around its connections: it binds, accepts as many as there is room for, and goes down
//! without losing one.
//!
//! A transport implements [`Server`] and calls [`serve`]; what it does with a connection is its own matter, and nothing here
//! knows HTTP. Start with `serve.rs`; `listener.rs` is the socket, `place.rs` the limit of connections, `stop.rs` the signals,
//! `grace.rs` what clients are still given then.

mod abort;
mod descriptors;
mod grace;
mod listener;
mod place;
mod serve;
mod stop;

pub use abort::Abort;
pub use descriptors::make_room_for_descriptors;
pub use grace::{AFTERMATH, FRESH};
pub use listener::Listener;
pub use place::Place;
pub use serve::{Drained, Server, serve};
pub use stop::{Stop, StopHandle};

use pw_core::{Limits, Stopping, Timeouts};

/// What a server is run with.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// How much a client may make the server hold.
    pub limits: Limits,
    /// How long a client may take.
    pub timeouts: Timeouts,
    /// Threads that serve, where the transport starts its own. `None`: as many as the process may use at once
    /// ([`available_parallelism`](std::thread::available_parallelism)).
    pub workers: Option<usize>,
    /// Where it is told that the server is going down: [`serve`] does.
    pub stopping: Stopping,
    /// Exchanges whose buffers each worker makes before it serves, where the transport pools them: 0.
    pub prewarm: usize,
}
