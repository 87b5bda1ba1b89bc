//! A connection's own task: the socket, and nothing else while nothing comes.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::task::{Context, Poll, ready};

use pw_server::{Config, Place};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;

use crate::batch::{self, Back, Server};
use crate::connection::{Connection, Upgrade};
use crate::io::Io;
use crate::kit::Kit;
use crate::service::Service;
use crate::slots::Slot;
use crate::worker::{Shared, Worker};

/// Serves one connection over a pipe in memory, to its end, as a worker of its own.
///
/// # Panics
/// It is not called in a [`LocalRuntime`](tokio::runtime::LocalRuntime) or a [`LocalSet`](tokio::task::LocalSet) with timers.
pub fn serve_connection<S: Service>(
    io: DuplexStream,
    peer: SocketAddr,
    service: Arc<S>,
    config: Arc<Config>,
) -> impl Future<Output = ()> {
    let shared = Shared::new(config, Arc::default(), Arc::new(AtomicUsize::new(1)));
    let server = Rc::new(Server {
        service,
        shared: shared.clone(),
    });
    let worker = Worker::new(shared, move |kit| batch::run(server.clone(), kit));
    worker.prewarm();
    let ticking = worker.clone();
    Alone {
        task: Task::new(worker, Io::Pipe(Box::new(io)), peer, None),
        ticker: tokio::task::spawn_local(async move { ticking.tick().await }),
    }
}

/// A task, and a ticker that ends with it.
struct Alone<T> {
    task: T,
    ticker: JoinHandle<Infallible>,
}

impl<T: Future + Unpin> Future for Alone<T> {
    type Output = T::Output;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<T::Output> {
        Pin::new(&mut self.task).poll(task)
    }
}

impl<T> Drop for Alone<T> {
    fn drop(&mut self) {
        self.ticker.abort();
    }
}

/// See the module. The future of a batch is not in here: it would make every idle connection as large as the largest handler.
pub(crate) struct Task<M, F> {
    /// Not there while there is a batch, which has it.
    connection: Option<Box<Connection>>,
    batch: Option<Slot<F>>,
    /// Then it has neither of those any more.
    upgrade: Option<Box<Upgrade>>,
    worker: Rc<Worker<M, F>>,
}

impl<M, F> Task<M, F> {
    pub(crate) fn new(worker: Rc<Worker<M, F>>, io: Io, peer: SocketAddr, place: Option<Place>) -> Self {
        Self {
            connection: Some(Connection::new(worker.shared.clone(), io, peer, place)),
            batch: None,
            upgrade: None,
            worker,
        }
    }
}

impl<M, F> Future for Task<M, F>
where
    M: Fn(Box<Kit>) -> F,
    F: Future<Output = Back>,
{
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let Self {
            connection,
            batch,
            upgrade,
            worker,
        } = self.get_mut();
        let shared = &worker.shared;
        if let Some(connection) = connection {
            connection.sit(task);
        }
        let slot = match batch {
            Some(slot) => slot,
            None => {
                if let Some(upgrade) = upgrade {
                    return upgrade.poll(task);
                }
                let mut kit = shared.kits.take(shared);
                let opened = kit.poll_open(connection, task);
                if !matches!(opened, Poll::Ready(true)) {
                    // Nothing came, and nothing is held for what may come: tokio takes a fresh socket for readable.
                    shared.kits.give_back(kit);
                    return match connection {
                        Some(connection) if opened.is_pending() => connection.poll_silence(),
                        _ => Poll::Ready(()),
                    };
                }
                batch.insert(worker.slots.begin(kit))
            }
        };
        let running = slot.as_mut().as_pin_mut().expect("a slot in use holds its batch");
        let back = ready!(running.poll(task));
        if let Some(ended) = batch.take() {
            worker.slots.end(ended);
        }
        match back {
            Back::Stays(back) => {
                connection.insert(back).begin_silence();
                Poll::Pending
            }
            Back::Upgraded(upgraded) => upgrade.insert(upgraded).poll(task),
            Back::Over => Poll::Ready(()),
        }
    }
}
