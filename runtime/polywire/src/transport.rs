//! Which of the transports in this build runs: fast before hyper. Besides this, only what generated code names (`codegen`) and
//! an application for documentation (`testing/nothing.rs`) know one by name.
//!
//! Below is a file for each, with the same items; `absent.rs` is for a build that has none.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use pw_core::{Limits, Stopping};
use tokio::io::DuplexStream;
use tokio::runtime::Runtime;

#[cfg(not(any(feature = "transport-fast", feature = "transport-hyper")))]
#[path = "transport/absent.rs"]
mod chosen;
#[cfg(feature = "transport-fast")]
#[path = "transport/fast.rs"]
mod chosen;
#[cfg(all(feature = "transport-hyper", not(feature = "transport-fast")))]
#[path = "transport/hyper.rs"]
mod chosen;

pub use chosen::Application;
pub(crate) use chosen::{Config, Listener, NAME, run, runtime, table};

/// The threads that serve, of a transport.
pub(crate) trait Serving: Send + Sync {
    /// Serves the server's end of a pipe.
    fn connect(&self, io: DuplexStream, peer: SocketAddr);

    /// The server goes down: every answer says that the connection closes, and idle connections end.
    fn drain(&self);
}

/// An application that is served through pipes.
pub(crate) struct Pipes {
    threads: Box<dyn Serving>,
    stopping: Stopping,
}

impl Pipes {
    /// Serves the server's end of a pipe.
    pub(crate) fn connect(&self, io: DuplexStream, peer: SocketAddr) {
        self.threads.connect(io, peer);
    }

    /// What a server does at the first signal, in its order, but for the port.
    pub(crate) fn stop(&self) {
        self.threads.drain();
        self.stopping.begin();
    }
}

/// An application and its settings, ready to serve.
pub(crate) struct Service<R> {
    routes: Arc<R>,
    config: Arc<Config>,
}

impl<R: Application> Service<R> {
    pub(crate) fn new(routes: Arc<R>, mut config: Config) -> Self {
        // Here for every transport: what an application asks for is bounded before any of them sees it.
        config.limits.head = config.limits.head.min(Limits::MAX_HEAD);
        let config = Arc::new(config);
        Self { routes, config }
    }

    /// Serves until a signal comes, then drains. It must run in [`run`].
    pub(crate) async fn serve(self, listener: Listener) -> io::Result<()> {
        match chosen::serve(listener, self.routes, Config::clone(&self.config)).await? {
            chosen::Drained::Whole => tracing::info!(target: "polywire", "stopped"),
            chosen::Drained::Cut(connections) => {
                tracing::warn!(target: "polywire", connections, "stopped before these were done")
            }
        }
        Ok(())
    }

    /// Serves one connection that is no socket, in the caller's own runtime.
    pub(crate) fn connection(self, io: DuplexStream, peer: SocketAddr) -> impl Future<Output = ()> {
        chosen::connection(io, peer, self.routes, self.config)
    }

    /// Serves connections that are no sockets, on as many threads as the settings say, until what it gives and `runtime` are
    /// gone. Each thread calls `on_start` first; [`runtime`] has made the other and was given the same.
    pub(crate) fn pipes(self, runtime: &Runtime, on_start: impl Fn() + Send + Sync + 'static) -> io::Result<Pipes> {
        let stopping = self.config.stopping.clone();
        let threads = chosen::pipes(self.routes, self.config, runtime, on_start)?;
        Ok(Pipes { threads, stopping })
    }
}
