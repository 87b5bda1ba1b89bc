//! A connection's own task: the socket, and nothing else while nothing comes.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::task::{Context, Poll};
use std::time::Duration;

use pw_server::{Config, Place};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

use crate::alarms::Seat;
use crate::batch::{self, Server};
use crate::clock::Moment;
use crate::io::Io;
use crate::kit::Kit;
use crate::service::Service;
use crate::slots::Slot;
use crate::wire::Connection;
use crate::worker::{Shared, Worker};

/// How long a new connection has for its first byte when the server is going down: bytes that came before the signal may not
/// have been noticed yet, and the client would lose its request.
const FRESH: Duration = Duration::from_millis(100);

/// Serves one connection over a pipe in memory, to its end, as a worker of its own.
///
/// # Panics
/// It does not run in a [`LocalRuntime`](tokio::runtime::LocalRuntime) or a [`LocalSet`](tokio::task::LocalSet) with timers.
pub async fn serve_connection<S: Service>(io: DuplexStream, peer: SocketAddr, service: Arc<S>, config: Arc<Config>) {
    let shared = Shared::new(config, Arc::default(), Arc::new(AtomicUsize::new(1)));
    let server = Rc::new(Server {
        service,
        shared: shared.clone(),
    });
    let worker = Worker::new(shared.clone(), move |kit| batch::run(server.clone(), kit));
    let _ticking = Ticking(tokio::task::spawn_local(async move { shared.tick().await }));
    Task::new(worker, Io::Pipe(io), peer, None).await;
}

/// A ticker that ends with what it ticks for.
struct Ticking(JoinHandle<Infallible>);

impl Drop for Ticking {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// See the module. The future of a batch is not in here: it would make every idle connection as large as the largest handler.
pub(crate) struct Task<M, F> {
    /// Not there while there is a batch, which has it.
    connection: Option<Connection>,
    batch: Option<Slot<F>>,
    /// Since when nothing has come.
    since: Moment,
    /// Nothing has come yet.
    fresh: bool,
    /// The alarms know the task.
    seated: bool,
    seat: Seat,
    worker: Rc<Worker<M, F>>,
    /// Given back behind the socket, whose descriptor it stands for.
    _place: Option<Place>,
}

impl<M, F> Task<M, F> {
    pub(crate) fn new(worker: Rc<Worker<M, F>>, io: Io, peer: SocketAddr, place: Option<Place>) -> Self {
        let shared = &worker.shared;
        let seat = shared.take_seat();
        Self {
            connection: Some(Connection { io, peer, seat }),
            batch: None,
            since: shared.clock.now(),
            fresh: true,
            seated: false,
            seat,
            worker,
            _place: place,
        }
    }

    /// Ready once nothing has come for too long.
    fn poll_silence(&self) -> Poll<()> {
        let shared = &self.worker.shared;
        let first_byte = shared.config.timeouts.first_byte;
        let due = match self.fresh {
            true if shared.is_draining() => self.since.after(FRESH.min(first_byte)),
            true => self.since.after(first_byte),
            false => shared.keep_alive(self.since),
        };
        if due <= shared.clock.now() {
            return Poll::Ready(());
        }
        shared.alarms.set(self.seat, due);
        Poll::Pending
    }
}

impl<M, F> Future for Task<M, F>
where
    M: Fn(Box<Kit>) -> F,
    F: Future<Output = Option<Connection>>,
{
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let worker = &*this.worker;
        let shared = &worker.shared;
        if !this.seated {
            shared.alarms.sit(this.seat, task);
            this.seated = true;
        }
        if this.batch.is_none() {
            let kit = shared.kits.take(shared);
            let opened = kit.wire.borrow_mut().poll_open(&mut this.connection, task);
            match opened {
                Poll::Ready(true) => this.batch = Some(worker.slots.begin(kit)),
                other => {
                    // Nothing came, and nothing is held for what may come: tokio takes a fresh socket for readable.
                    shared.kits.give_back(kit);
                    return match other {
                        Poll::Ready(_) => Poll::Ready(()),
                        Poll::Pending => this.poll_silence(),
                    };
                }
            }
        }
        let batch = this.batch.as_mut().expect("it has begun");
        let batch = batch.as_mut().as_pin_mut().expect("a slot in use holds its batch");
        let Poll::Ready(connection) = batch.poll(task) else {
            return Poll::Pending;
        };
        worker.slots.end(this.batch.take().expect("it has ended"));
        if connection.is_none() {
            return Poll::Ready(());
        }
        (this.connection, this.since, this.fresh) = (connection, shared.clock.now(), false);
        this.poll_silence()
    }
}

impl<M, F> Drop for Task<M, F> {
    fn drop(&mut self) {
        self.worker.shared.give_seat_back(self.seat);
    }
}
