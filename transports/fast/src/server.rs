//! The server: one acceptor, which hands each connection to a worker.
//!
//! Measured against a listener for each worker (`SO_REUSEPORT`): the kernel spreads by a hash, and one worker of two has 45 of 64
//! connections at times (`ARCHITECTURE.md`). An acceptor spreads them evenly, at no cost that can be told apart from noise.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;

use pw_server::{Config, Drained, Listener, Place, Stop};

use crate::service::Service;
use crate::worker::Workers;

/// Serves until the first stop signal; then accepts what already waits, closes the port, answers what is in flight with
/// `connection: close`, and returns when all is done, or at the second signal or [`Timeouts::shutdown`](pw_core::Timeouts::shutdown).
///
/// The caller's runtime accepts and waits for signals; requests are served on threads of their own.
///
/// # Errors
/// The workers can't be started.
pub async fn serve<S: Service>(listener: Listener, service: Arc<S>, config: Config, stop: Stop) -> io::Result<Drained> {
    let count = config
        .workers
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let config = Arc::new(config);
    let workers = Workers::start(count, service, config.clone(), || {})?;
    let drained = pw_server::serve(listener, &config, stop, Acceptor(&workers)).await;
    match drained {
        Drained::Whole => workers.join().await,
        // A handler may hold its thread; the process does not wait for it.
        Drained::Cut(_) => drop(workers),
    }
    Ok(drained)
}

struct Acceptor<'a>(&'a Workers);

impl pw_server::Server for Acceptor<'_> {
    fn connection(&self, stream: TcpStream, peer: SocketAddr, place: Place) -> io::Result<()> {
        self.0.serve(stream, peer, place);
        Ok(())
    }

    fn drain(&self) {
        self.0.drain();
    }
}
