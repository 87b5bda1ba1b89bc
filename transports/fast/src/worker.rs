//! Workers: threads that serve, each with a runtime, pools and a clock of its own, so that nothing is shared per request.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pw_server::{AFTERMATH, Config, Place};
use tokio::io::DuplexStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::alarms::{Alarms, Seat};
use crate::batch::{self, Back, Server};
use crate::buffers::Buffers;
use crate::clock::{Clock, Delay, Moment, TICK};
use crate::io::{Io, Pipe};
use crate::kit::{Kit, Kits};
use crate::runtime;
use crate::service::Service;
use crate::shelf::FEW;
use crate::slots::Slots;
use crate::task::Task;

/// After how many ticks what nobody needs is looked for: a second.
const TRIM: u32 = 50;

/// How long threads that serve nothing any more are waited for.
const REST: Duration = Duration::from_secs(1);

/// Threads that serve connections they are handed.
///
/// Dropping it ends them, and cuts what they still serve.
#[derive(Debug)]
pub struct Workers {
    workers: Vec<Handle>,
    /// The server is going down. Looked at with every answer.
    drain: Arc<AtomicBool>,
}

#[derive(Debug)]
struct Handle {
    inbox: mpsc::UnboundedSender<Message>,
    /// Connections it was handed and has not ended.
    load: Arc<AtomicUsize>,
    /// Closed when the thread has nothing more to do.
    ended: oneshot::Receiver<()>,
    thread: JoinHandle<()>,
}

enum Message {
    Socket(TcpStream, SocketAddr, Place),
    Pipe(Box<dyn Pipe>, SocketAddr),
    Drain,
    /// Nothing follows.
    End,
}

impl Workers {
    /// Starts this many, at least one. `on_start` runs on each thread first. Once it returns, all are ready, prewarmed as
    /// [`Config::prewarm`] says.
    ///
    /// # Errors
    /// The operating system's: a thread or its event queue can't be made.
    pub fn start<S: Service>(
        count: usize,
        service: Arc<S>,
        config: Arc<Config>,
        on_start: impl Fn() + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let (drain, on_start) = (Arc::<AtomicBool>::default(), Arc::new(on_start));
        let mut workers = Vec::new();
        for at in 0..count.max(1) {
            let (inbox, messages) = mpsc::unbounded_channel();
            let begun = Arc::<Begun>::default();
            let (ends, ended) = oneshot::channel();
            let load = Arc::<AtomicUsize>::default();
            let thread = {
                let (config, drain, load) = (config.clone(), drain.clone(), load.clone());
                let (service, on_start, begins) = (service.clone(), on_start.clone(), Begins(begun.clone()));
                let name = format!("polywire-{at}");
                thread::Builder::new().name(name).spawn(move || {
                    let _ends: oneshot::Sender<()> = ends;
                    on_start();
                    work(service, Shared::new(config, drain, load), messages, &begins);
                })?
            };
            workers.push(Handle {
                inbox,
                load,
                ended,
                thread,
            });
            if let Err(error) = begun.wait() {
                return Err(io::Error::new(error.kind(), error.to_string()));
            }
        }
        Ok(Self { workers, drain })
    }

    /// Serves one end of a pipe in memory: for tests.
    pub fn connect(&self, io: DuplexStream, peer: SocketAddr) {
        self.hand_over(Message::Pipe(Box::new(io), peer));
    }

    /// Serves a socket.
    pub(crate) fn serve(&self, socket: TcpStream, peer: SocketAddr, place: Place) {
        self.hand_over(Message::Socket(socket, peer, place));
    }

    /// From now on every answer says that the connection closes, and idle connections end.
    pub fn drain(&self) {
        self.drain.store(true, Ordering::Release);
        self.tell(|| Message::Drain);
    }

    fn tell(&self, message: impl Fn() -> Message) {
        for worker in &self.workers {
            // One that has ended has nothing to do.
            let _ = worker.inbox.send(message());
        }
    }

    /// Ends the threads, which serve nothing any more, and waits for them, but not long: what a handler has left behind may
    /// hold its thread.
    pub(crate) async fn join(self) {
        let until = Instant::now() + REST;
        // All of them are told before the first is waited for.
        self.tell(|| Message::End);
        for Handle { ended, thread, .. } in self.workers {
            if tokio::time::timeout_at(until, ended).await.is_ok() {
                // A panic there was reported when it happened.
                let _ = thread.join();
            }
        }
    }

    /// To the worker that has the least to do: connections live long and differ, so turns would not spread them.
    fn hand_over(&self, message: Message) {
        let running = self.workers.iter().filter(|worker| !worker.inbox.is_closed());
        let Some(worker) = running.min_by_key(|worker| worker.load.load(Ordering::Relaxed)) else {
            tracing::error!(target: "polywire", "no worker is left to serve a connection");
            return;
        };
        worker.load.fetch_add(1, Ordering::Relaxed);
        // If it ends now the connection is dropped with the message, as those it serves are.
        let _ = worker.inbox.send(message);
    }
}

/// How a worker began.
type Begun = OnceLock<io::Result<()>>;

/// A worker's side of it: says so by the time its thread ends.
struct Begins(Arc<Begun>);

impl Drop for Begins {
    fn drop(&mut self) {
        // It has been said already, but for a panic.
        let _ = self.0.set(Err(io::Error::other("a worker ended before it began")));
    }
}

/// What all connections of a worker share, but for the application.
pub(crate) struct Shared {
    pub(crate) config: Arc<Config>,
    pub(crate) clock: Clock,
    pub(crate) alarms: Alarms,
    pub(crate) buffers: Buffers,
    pub(crate) kits: Kits,
    /// How long a connection is kept that has nothing to do, and how long once the server is going down.
    keep_alive: Delay,
    aftermath: Delay,
    drain: Arc<AtomicBool>,
    /// See [`Handle`].
    load: Arc<AtomicUsize>,
}

impl Shared {
    pub(crate) fn new(config: Arc<Config>, drain: Arc<AtomicBool>, load: Arc<AtomicUsize>) -> Rc<Self> {
        let keep_alive = config.timeouts.keep_alive;
        Rc::new(Self {
            config,
            keep_alive: Delay::of(keep_alive),
            aftermath: Delay::of(AFTERMATH.min(keep_alive)),
            clock: Clock::new(),
            alarms: Alarms::default(),
            buffers: Buffers::default(),
            kits: Kits::default(),
            drain,
            load,
        })
    }

    /// Whether the server is going down. A look costs one load.
    pub(crate) fn is_draining(&self) -> bool {
        self.drain.load(Ordering::Acquire)
    }

    /// A seat for a new connection.
    pub(crate) fn take_seat(&self) -> Seat {
        // The clock may have stood still for hours, without connections or under a handler that kept the thread.
        self.clock.tick();
        self.alarms.take()
    }

    /// A connection is over.
    pub(crate) fn give_seat_back(&self, seat: Seat) {
        self.alarms.give_back(seat);
        self.load.fetch_sub(1, Ordering::Relaxed);
    }

    /// Until when a connection is kept that has had nothing to do since then.
    pub(crate) fn keep_alive(&self, since: Moment) -> Moment {
        since.past(match self.is_draining() {
            true => self.aftermath,
            false => self.keep_alive,
        })
    }
}

/// What a connection's task needs of its worker: `make` makes the future of a batch, whose type has no name.
pub(crate) struct Worker<M, F> {
    pub(crate) shared: Rc<Shared>,
    pub(crate) slots: Slots<M, F>,
}

impl<M, F> Worker<M, F>
where
    M: Fn(Box<Kit>) -> F,
    F: Future<Output = Back>,
{
    pub(crate) fn new(shared: Rc<Shared>, make: M) -> Rc<Self> {
        let slots = Slots::new(make);
        Rc::new(Self { shared, slots })
    }
}

impl<M, F> Worker<M, F> {
    /// Makes what exchanges need in advance, as [`Config::prewarm`] says.
    pub(crate) fn prewarm(&self) {
        let count = self.shared.config.prewarm;
        self.slots.prewarm(count);
        self.shared.kits.prewarm(count, &self.shared);
    }

    /// Ticks while there are connections, and trims the pools now and then: also once all of them have gone, or what a crowd
    /// needed would be kept until the next comes.
    pub(crate) async fn tick(&self) -> Infallible {
        let (shared, mut ticks, mut full) = (&self.shared, 0, false);
        let few = FEW.max(shared.config.prewarm);
        loop {
            if ticks == 0 && !full {
                poll_fn(|task| match shared.alarms.sleeps(task) {
                    true => Poll::Pending,
                    false => Poll::Ready(()),
                })
                .await;
            }
            tokio::time::sleep(TICK).await;
            shared.clock.tick();
            shared.alarms.ring(shared.clock.now());
            ticks += 1;
            if ticks == TRIM {
                ticks = 0;
                full = self.slots.trim(few) | shared.kits.trim(few) | shared.buffers.trim(few);
            }
        }
    }
}

impl<M, F> Drop for Worker<M, F> {
    fn drop(&mut self) {
        // Kits know what they are shared with, which knows the kits.
        self.shared.kits.clear();
    }
}

/// A worker's thread: serves until its inbox is closed. `begins` is told whether it could begin.
fn work<S: Service>(service: Arc<S>, shared: Rc<Shared>, mut inbox: mpsc::UnboundedReceiver<Message>, begins: &Begins) {
    let served = runtime::run(async |runtime| {
        let server = Rc::new(Server {
            service,
            shared: shared.clone(),
        });
        let worker = Worker::new(shared, move |kit| batch::run(server.clone(), kit));
        worker.prewarm();
        let ticking = worker.clone();
        runtime.spawn_local(async move { ticking.tick().await });
        let _ = begins.0.set(Ok(()));
        while let Some(message) = inbox.recv().await {
            let (io, peer, place) = match message {
                Message::Socket(socket, peer, place) => match tokio::net::TcpStream::from_std(socket) {
                    Ok(socket) => (Io::Socket(socket), peer, Some(place)),
                    Err(error) => {
                        tracing::warn!(target: "polywire", %error, "can't serve a connection");
                        worker.shared.load.fetch_sub(1, Ordering::Relaxed);
                        continue;
                    }
                },
                Message::Pipe(pipe, peer) => (Io::Pipe(pipe), peer, None),
                Message::Drain => {
                    worker.shared.alarms.ring_all();
                    continue;
                }
                Message::End => break,
            };
            runtime.spawn_local(Task::new(worker.clone(), io, peer, place));
        }
    });
    if let Err(error) = served {
        let _ = begins.0.set(Err(error));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_a_crowd_needed_goes_although_nobody_comes_any_more() {
        const PREWARMED: usize = 20;
        let config = Config {
            prewarm: PREWARMED,
            ..Config::default()
        };
        let shared = Shared::new(config.into(), Arc::default(), Arc::default());
        let worker = Worker::new(shared.clone(), |_| std::future::ready(Back::Over));
        shared.kits.prewarm(1000, &shared);
        let crowd: Vec<Seat> = (0..10).map(|_| shared.alarms.take()).collect();
        let leave = async {
            tokio::time::sleep(3 * TICK).await;
            crowd.into_iter().for_each(|seat| shared.alarms.give_back(seat));
        };
        let minute = tokio::time::sleep(Duration::from_secs(60));
        tokio::select! {
            never = worker.tick() => match never {},
            _ = async { tokio::join!(leave, minute) } => {}
        }
        assert_eq!(shared.kits.len(), PREWARMED, "what the operator asked for is kept");
    }
}
