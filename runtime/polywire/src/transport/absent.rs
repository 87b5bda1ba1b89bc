//! A build without a transport: a library's own. Nothing is an [`Application`], so none of this is ever called.
#![expect(
    dead_code,
    unreachable_code,
    reason = "it has what the others have, so that all else compiles"
)]

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use pw_core::{Limits, Stopping, Table, Timeouts};
use tokio::io::DuplexStream;
use tokio::runtime::{Builder, Runtime};

use super::Serving;

/// A generated application: what [`App`](crate::App) runs and [`testing`](crate::testing) tests. Generated code
/// implements it, by a binder for each transport in the build; this build has none.
#[diagnostic::on_unimplemented(
    message = "this build of polywire has no transport, so `{Self}` can't be served",
    label = "no transport serves this",
    note = "build with one: `--features transport-hyper` or `--features transport-fast`, or in Cargo.toml `polywire = {{ .., features = [\"transport-hyper\"] }}`"
)]
pub trait Application: Send + Sync + 'static {
    /// Never: there is no such value.
    #[doc(hidden)]
    fn absent(&self) -> Infallible;
}

pub(crate) const NAME: &str = "none";

#[derive(Clone, Default)]
pub(crate) struct Config {
    pub(crate) limits: Limits,
    pub(crate) timeouts: Timeouts,
    pub(crate) workers: Option<usize>,
    pub(crate) stopping: Stopping,
    pub(crate) prewarm: usize,
}

pub(crate) enum Drained {
    Whole,
    Cut(usize),
}

pub(crate) enum Listener {}

impl Listener {
    pub(crate) fn bind(_: SocketAddr) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        match *self {}
    }
}

pub(crate) fn table(routes: &impl Application) -> &'static Table {
    match routes.absent() {}
}

pub(crate) fn run<T>(_: &Config, _: impl Future<Output = T>) -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn runtime(_: &Config, _: impl Fn() + Send + Sync + 'static) -> io::Result<Runtime> {
    Builder::new_current_thread().build()
}

pub(crate) async fn serve<R: Application>(listener: Listener, _: Arc<R>, _: Config) -> io::Result<Drained> {
    match listener {}
}

pub(crate) async fn connection<R: Application>(_: DuplexStream, _: SocketAddr, routes: Arc<R>, _: Arc<Config>) {
    match routes.absent() {}
}

pub(crate) fn pipes<R: Application>(
    routes: Arc<R>,
    _: Arc<Config>,
    _: &Runtime,
    _: impl Fn() + Send + Sync + 'static,
) -> io::Result<Box<dyn Serving>> {
    match routes.absent() {}
}
