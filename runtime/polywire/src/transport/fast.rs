//! On Polywire's own transport: workers that serve, each with a runtime of its own, and one runtime that accepts.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use pw_core::Table;
use pw_fast::{Stop, Workers};
use tokio::io::DuplexStream;
use tokio::runtime::{Builder, Runtime};

use super::Serving;

pub(crate) use pw_fast::{Config, Drained, Listener};

/// A generated application: what [`App`](crate::App) runs and [`testing`](crate::testing) tests. Generated code
/// implements it, by a binder for each transport in the build.
pub trait Application: pw_fast::Service {}

impl<S: pw_fast::Service> Application for S {}

pub(crate) const NAME: &str = "fast";

pub(crate) fn table(routes: &impl Application) -> &'static Table {
    routes.table()
}

/// Runs what builds the application and accepts its connections. What it builds may hold sockets and timers of this runtime, so
/// its thread has to stay with it for as long as there are workers.
pub(crate) fn run<T>(_: &Config, main: impl Future<Output = T>) -> io::Result<T> {
    pw_fast::run(async |_| main.await)
}

/// As [`run`]'s, for tests, which drive it from another thread.
pub(crate) fn runtime(_: &Config, on_start: impl Fn() + Send + Sync + 'static) -> io::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .on_thread_start(on_start)
        .build()
}

pub(crate) async fn serve<R: Application>(listener: Listener, routes: Arc<R>, config: Config) -> io::Result<Drained> {
    let stop = Stop::on_signals()?;
    pw_fast::serve(listener, routes, config, stop).await
}

pub(crate) fn connection<R: Application>(
    io: DuplexStream,
    peer: SocketAddr,
    routes: Arc<R>,
    config: Arc<Config>,
) -> impl Future<Output = ()> {
    pw_fast::serve_connection(io, peer, routes, config)
}

/// Workers serve; the runtime is the application's.
pub(crate) fn pipes<R: Application>(
    routes: Arc<R>,
    config: Arc<Config>,
    _runtime: &Runtime,
    on_start: impl Fn() + Send + Sync + 'static,
) -> io::Result<Box<dyn Serving>> {
    let workers = Workers::start(config.workers.unwrap_or(1), routes, config, on_start)?;
    Ok(Box::new(workers))
}

impl Serving for Workers {
    fn connect(&self, io: DuplexStream, peer: SocketAddr) {
        Self::connect(self, io, peer);
    }

    fn drain(&self) {
        Self::drain(self);
    }
}
