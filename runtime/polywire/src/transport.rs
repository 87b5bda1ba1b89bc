//! Which of the transports in this build runs, and how. Besides this, only what generated code names (`codegen`) and an
//! application for documentation (`testing/nothing.rs`) know one by name.

use std::sync::Arc;

use pw_core::{Limits, Timeouts};

#[cfg(feature = "transport-hyper")]
pub use hyper::Application;
#[cfg(feature = "transport-hyper")]
pub(crate) use hyper::{Config, NAME, bind, config, local_address, runtime, table};

#[cfg(not(feature = "transport-hyper"))]
pub use absent::Application;
#[cfg(not(feature = "transport-hyper"))]
pub(crate) use absent::{Config, NAME, bind, config, local_address, runtime, table};

/// An application and its settings, ready to serve.
pub(crate) struct Service<R> {
    routes: Arc<R>,
    config: Arc<Config>,
}

impl<R: Application> Service<R> {
    pub(crate) fn new(routes: R, limits: Limits, timeouts: Timeouts) -> Self {
        Self::shared(Arc::new(routes), limits, timeouts)
    }

    pub(crate) fn shared(routes: Arc<R>, limits: Limits, timeouts: Timeouts) -> Self {
        // Here for every transport: what an application asks for is bounded before any of them sees it.
        let head = limits.head.min(Limits::MAX_HEAD);
        let limits = Limits { head, ..limits };
        let config = Arc::new(config(limits, timeouts));
        Self { routes, config }
    }
}

impl<R> Clone for Service<R> {
    fn clone(&self) -> Self {
        Self {
            routes: Arc::clone(&self.routes),
            config: Arc::clone(&self.config),
        }
    }
}

#[cfg(feature = "transport-hyper")]
mod hyper {
    use std::io;
    use std::net::SocketAddr;

    use pw_core::{Limits, Table, Timeouts};
    use pw_hyper::{Drained, Stop};
    use tokio::io::DuplexStream;
    use tokio::runtime::{Builder, Runtime};

    pub(crate) use pw_hyper::{Config, Listener};

    /// A generated application: what [`App`](crate::App) runs and [`testing`](crate::testing) tests. Generated code
    /// implements it, by a binder for each transport in the build.
    pub trait Application: pw_hyper::Service {}

    impl<S: pw_hyper::Service> Application for S {}

    pub(crate) const NAME: &str = "hyper";

    pub(crate) fn config(limits: Limits, timeouts: Timeouts) -> Config {
        Config {
            limits,
            timeouts,
            ..Config::default()
        }
    }

    pub(crate) fn runtime() -> io::Result<Runtime> {
        Builder::new_multi_thread().enable_all().build()
    }

    pub(crate) fn table(routes: &impl Application) -> &'static Table {
        routes.table()
    }

    pub(crate) fn bind(address: SocketAddr) -> io::Result<Listener> {
        Listener::bind(address)
    }

    pub(crate) fn local_address(listener: &Listener) -> io::Result<SocketAddr> {
        listener.local_addr()
    }

    impl<R: Application> super::Service<R> {
        /// Serves until a signal comes, then drains.
        pub(crate) async fn serve(self, listener: Listener) -> io::Result<()> {
            let stop = Stop::on_signals()?;
            match pw_hyper::serve(listener, self.routes, Config::clone(&self.config), stop).await {
                Drained::Whole => tracing::info!(target: "polywire", "stopped"),
                Drained::Cut(connections) => {
                    tracing::warn!(target: "polywire", connections, "stopped before these were done")
                }
            }
            Ok(())
        }

        /// Serves one connection that is no socket.
        pub(crate) async fn connection(self, io: DuplexStream, peer: SocketAddr) {
            pw_hyper::serve_connection(io, peer, self.routes, self.config).await;
        }
    }
}

/// A build without a transport: a library's own. Nothing is an [`Application`], so none of this can be called.
#[cfg(not(feature = "transport-hyper"))]
#[allow(dead_code, unreachable_code)]
mod absent {
    use std::convert::Infallible;
    use std::io;
    use std::net::SocketAddr;

    use pw_core::{Limits, Table, Timeouts};
    use tokio::io::DuplexStream;
    use tokio::runtime::Runtime;

    /// A generated application: what [`App`](crate::App) runs and [`testing`](crate::testing) tests. Generated code
    /// implements it, by a binder for each transport in the build; this build has none.
    #[diagnostic::on_unimplemented(
        message = "this build of polywire has no transport, so `{Self}` can't be served",
        label = "no transport serves this",
        note = "build with one: `--features transport-hyper`, or in Cargo.toml `polywire = {{ .., features = [\"transport-hyper\"] }}`"
    )]
    pub trait Application: Send + Sync + 'static {
        /// Never: there is no such value.
        #[doc(hidden)]
        fn absent(&self) -> Infallible;
    }

    pub(crate) const NAME: &str = "none";

    pub(crate) struct Config {
        pub(crate) limits: Limits,
        pub(crate) timeouts: Timeouts,
    }

    pub(crate) fn config(limits: Limits, timeouts: Timeouts) -> Config {
        Config { limits, timeouts }
    }

    pub(crate) type Listener = Infallible;

    pub(crate) fn runtime() -> io::Result<Runtime> {
        tokio::runtime::Builder::new_current_thread().build()
    }

    pub(crate) fn table(routes: &impl Application) -> &'static Table {
        match routes.absent() {}
    }

    pub(crate) fn bind(_: SocketAddr) -> io::Result<Listener> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn local_address(listener: &Listener) -> io::Result<SocketAddr> {
        match *listener {}
    }

    impl<R: Application> super::Service<R> {
        pub(crate) async fn serve(self, listener: Listener) -> io::Result<()> {
            match listener {}
        }

        pub(crate) async fn connection(self, _: DuplexStream, _: SocketAddr) {
            match self.routes.absent() {}
        }
    }
}
