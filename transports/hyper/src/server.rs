//! The server: a task of the runtime for each connection that `pw-server` accepts, or that a test has at hand.

use std::io;
use std::net::{self, SocketAddr};
use std::sync::Arc;

use pw_server::{Drained, Listener, Place, Stop};
use tokio::io::DuplexStream;
use tokio::net::TcpStream;

use crate::clock::Drain;
use crate::exchange::Service;
use crate::{Config, connection};

/// Serves until the first stop signal; then accepts what already waits, closes the port, answers what is in flight with
/// `connection: close`, and returns when all is done, or at the second signal or [`Timeouts::shutdown`](pw_core::Timeouts::shutdown).
///
/// Connections run on the caller's runtime, whose threads serve, and buffers are made as they are needed: neither
/// [`Config::workers`] nor [`Config::prewarm`] is looked at. Connections that were cut still run; they end with the runtime.
pub async fn serve<S: Service>(listener: Listener, service: Arc<S>, config: Config, stop: Stop) -> Drained {
    let config = Arc::new(config);
    let server = Connections::new(service, config.clone());
    pw_server::serve(listener, &config, stop, server).await
}

/// What is served, and the signal that it goes down.
pub struct Connections<S>(Arc<Shared<S>>);

impl<S: Service> Connections<S> {
    /// Of a service, none yet.
    pub fn new(service: Arc<S>, config: Arc<Config>) -> Self {
        Self(Arc::new(Shared {
            service,
            config,
            drain: Drain::default(),
        }))
    }

    /// Serves one end of a pipe in memory, to its end: for tests. It must run in a tokio runtime with timers.
    pub fn connect(&self, io: DuplexStream, peer: SocketAddr) -> impl Future<Output = ()> + Send + use<S> {
        let shared = self.0.clone();
        async move {
            let (service, config) = (shared.service.clone(), shared.config.clone());
            connection::serve(io, peer, service, config, &shared.drain).await;
        }
    }

    /// From now on every answer says that the connection closes, and idle connections end.
    pub fn drain(&self) {
        self.0.drain.begin();
    }
}

struct Shared<S> {
    service: Arc<S>,
    config: Arc<Config>,
    drain: Drain,
}

impl<S: Service> pw_server::Server for Connections<S> {
    fn connection(&self, stream: net::TcpStream, peer: SocketAddr, place: Place) -> io::Result<()> {
        let stream = TcpStream::from_std(stream)?;
        let shared = self.0.clone();
        tokio::spawn(async move {
            let (service, config) = (shared.service.clone(), shared.config.clone());
            connection::serve(stream, peer, service, config, &shared.drain).await;
            drop(place);
        });
        Ok(())
    }

    fn drain(&self) {
        Self::drain(self);
    }
}
