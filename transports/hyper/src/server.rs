//! Accepting connections, and going down without losing one.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::clock::Drain;
use crate::exchange::Service;
use crate::stop::Stop;
use crate::{Config, connection};

/// Descriptors left for everything that is no connection, where the limit is taken from the process.
const RESERVED: usize = 64;
/// Connections the kernel may hold for us before they are accepted (it takes its own maximum if that is less).
const BACKLOG: u32 = 4096;
/// How long accepting pauses after an error, unless a descriptor comes back first.
const PAUSE: Duration = Duration::from_millis(100);
/// How often such an error is logged.
const LOGGED: Duration = Duration::from_secs(1);

/// A bound, listening socket.
#[derive(Debug)]
pub struct Listener(TcpListener);

impl Listener {
    /// Binds and listens. No other process can bind the same address meanwhile; after a crash it is free at once.
    ///
    /// # Errors
    /// The operating system's: the address is in use, is not ours, or needs privileges.
    ///
    /// # Panics
    /// There is no tokio runtime.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        // On Unix this lets a port be bound whose old connections linger; on Windows it would let two processes share it.
        if cfg!(unix) {
            socket.set_reuseaddr(true)?;
        }
        socket.bind(address)?;
        socket.listen(BACKLOG).map(Self)
    }

    /// The address it is bound to, with the port the system chose for port 0.
    ///
    /// # Errors
    /// The operating system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// How a server went down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Everything in flight was finished.
    Whole,
    /// A second signal or the deadline cut this many connections.
    Cut(usize),
}

/// Serves until the first stop signal; then accepts what already waits, closes the port, answers what is in flight with
/// `connection: close`, and returns when all is done, or at the second signal or [`Timeouts::shutdown`](pw_core::Timeouts::shutdown).
///
/// Connections that were cut still run; they end with the runtime.
pub async fn serve<S: Service>(listener: Listener, service: Arc<S>, config: Config, mut stop: Stop) -> Drained {
    let connections = config
        .limits
        .connections
        .unwrap_or_else(descriptors)
        .clamp(1, Semaphore::MAX_PERMITS.min(1 << 24));
    let server = Arc::new(Server {
        service,
        config: Arc::new(config),
        drain: Drain::default(),
        free: Arc::new(Semaphore::new(connections)),
    });
    {
        let mut accepting = pin!(server.accept(&listener.0));
        let mut stopping = pin!(stop.next());
        poll_fn(|task| {
            if stopping.as_mut().poll(task).is_ready() {
                return Poll::Ready(());
            }
            accepting.as_mut().poll(task).map(|never| match never {})
        })
        .await;
    }
    // Before the port is closed: who finds it closed is told of the close by every answer from then on.
    server.drain.begin();
    let (seconds, serving) = (
        server.config.timeouts.shutdown.as_secs(),
        connections - server.free.available_permits(),
    );
    tracing::info!(
        target: "polywire",
        connections = serving,
        seconds,
        "stopping: what is in flight has this long; another signal ends it now"
    );
    if let Err(error) = server.accept_waiting(listener) {
        tracing::warn!(target: "polywire", %error, "can't accept the connections that wait");
    }

    let deadline = Instant::now() + server.config.timeouts.shutdown;
    let whole = {
        let mut all_free = pin!(server.free.acquire_many(connections as u32));
        let mut second = pin!(stop.next());
        let mut late = pin!(tokio::time::sleep_until(deadline));
        poll_fn(|task| {
            if all_free.as_mut().poll(task).is_ready() {
                return Poll::Ready(true);
            }
            if second.as_mut().poll(task).is_ready() || late.as_mut().poll(task).is_ready() {
                return Poll::Ready(false);
            }
            Poll::Pending
        })
        .await
    };
    // Counted once the wait for all permits is over: it holds those that are free.
    match connections - server.free.available_permits().min(connections) {
        _ if whole => Drained::Whole,
        cut => Drained::Cut(cut),
    }
}

struct Server<S> {
    service: Arc<S>,
    config: Arc<Config>,
    drain: Drain,
    /// A permit for each connection there may be.
    free: Arc<Semaphore>,
}

impl<S: Service> Server<S> {
    async fn accept(self: &Arc<Self>, listener: &TcpListener) -> std::convert::Infallible {
        let mut logged: Option<Instant> = None;
        loop {
            let permit = self
                .free
                .clone()
                .acquire_owned()
                .await
                .expect("the semaphore is never closed");
            match listener.accept().await {
                Ok((stream, peer)) => self.spawn(stream, peer, permit),
                Err(error) if is_the_clients(&error) => {}
                Err(error) => {
                    drop(permit);
                    if logged.is_none_or(|at| at.elapsed() >= LOGGED) {
                        logged = Some(Instant::now());
                        tracing::warn!(target: "polywire", %error, "can't accept connections; trying again until it works");
                    }
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// Accepts what waits in the kernel's queue, as far as there is room, and closes the port. The kernel is asked itself: what
    /// tokio last heard of the socket may be from before those who wait came.
    fn accept_waiting(self: &Arc<Self>, listener: Listener) -> io::Result<()> {
        let listener = listener.0.into_std()?;
        while let Ok(permit) = self.free.clone().try_acquire_owned() {
            match listener.accept() {
                Ok((stream, peer)) => {
                    stream.set_nonblocking(true)?;
                    self.spawn(TcpStream::from_std(stream)?, peer, permit);
                }
                Err(error) if is_the_clients(&error) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn spawn(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr, permit: OwnedSemaphorePermit) {
        // An answer is written whole: waiting for more to send would only delay it.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(target: "polywire", %error, "can't set TCP_NODELAY");
        }
        let server = self.clone();
        tokio::spawn(async move {
            let (service, config) = (server.service.clone(), server.config.clone());
            connection::serve(stream, peer, service, config, &server.drain).await;
            drop(permit);
        });
    }
}

/// Errors of one connection that died in the queue, not of accepting.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
    )
}

/// The process's descriptor limit less what is reserved.
fn descriptors() -> usize {
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile)
        .current
        .map_or(1 << 20, |n| n as usize);
    #[cfg(not(unix))]
    let limit = 1 << 14;
    limit.saturating_sub(RESERVED).max(1)
}
