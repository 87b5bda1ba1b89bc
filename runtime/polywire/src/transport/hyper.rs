//! On hyper: one multi-threaded runtime, which accepts and serves.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use pw_core::Table;
use pw_hyper::{Connections, Stop};
use tokio::io::DuplexStream;
use tokio::runtime::{Builder, Handle, Runtime};

use super::Serving;

pub(crate) use pw_hyper::{Config, Drained, Listener};

/// A generated application: what [`App`](crate::App) runs and [`testing`](crate::testing) tests. Generated code
/// implements it, by a binder for each transport in the build.
pub trait Application: pw_hyper::Service {}

impl<S: pw_hyper::Service> Application for S {}

pub(crate) const NAME: &str = "hyper";

pub(crate) fn table(routes: &impl Application) -> &'static Table {
    routes.table()
}

/// Runs what builds the application and serves it.
pub(crate) fn run<T>(config: &Config, main: impl Future<Output = T>) -> io::Result<T> {
    // Before the runtime's threads are there.
    pw_hyper::make_room_for_descriptors();
    let runtime = runtime(config, || {})?;
    let outcome = runtime.block_on(main);
    // A blocking task of the application's must not hold the process.
    runtime.shutdown_background();
    Ok(outcome)
}

/// What the application is built on, and served from.
pub(crate) fn runtime(config: &Config, on_start: impl Fn() + Send + Sync + 'static) -> io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    if let Some(workers) = config.workers {
        builder.worker_threads(workers);
    }
    builder.enable_all().on_thread_start(on_start).build()
}

pub(crate) async fn serve<R: Application>(listener: Listener, routes: Arc<R>, config: Config) -> io::Result<Drained> {
    let stop = Stop::on_signals()?;
    Ok(pw_hyper::serve(listener, routes, config, stop).await)
}

pub(crate) fn connection<R: Application>(
    io: DuplexStream,
    peer: SocketAddr,
    routes: Arc<R>,
    config: Arc<Config>,
) -> impl Future<Output = ()> + Send {
    pw_hyper::serve_connection(io, peer, routes, config)
}

/// The runtime's threads serve.
pub(crate) fn pipes<R: Application>(
    routes: Arc<R>,
    config: Arc<Config>,
    runtime: &Runtime,
    _on_start: impl Fn() + Send + Sync + 'static,
) -> io::Result<Box<dyn Serving>> {
    Ok(Box::new(Threads {
        runtime: runtime.handle().clone(),
        connections: Connections::new(routes, config),
    }))
}

struct Threads<R> {
    runtime: Handle,
    connections: Connections<R>,
}

impl<R: Application> Serving for Threads<R> {
    fn connect(&self, io: DuplexStream, peer: SocketAddr) {
        self.runtime.spawn(self.connections.connect(io, peer));
    }

    fn drain(&self) {
        self.connections.drain();
    }
}
