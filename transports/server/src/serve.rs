//! Accepting connections, and going down without losing one.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::Instant;

use crate::descriptors;
use crate::place::Places;
use crate::{Config, Listener, Place, Stop};

/// How long accepting pauses after an error.
const PAUSE: Duration = Duration::from_millis(100);
/// How often such an error is logged.
const LOGGED: Duration = Duration::from_secs(1);

/// A transport's side of a server: what becomes of a connection.
///
/// Wrong: dropping the place when the connection has been handed to its task. There is then no limit, and the server goes down
/// under those it has; the task holds the place to its end.
pub trait Server {
    /// Serves a connection: hands it to a task, and returns at once. The stream does not block, is sent without delay
    /// (TCP_NODELAY) and is registered with no runtime, so it may be served on another thread. `place` is dropped with it.
    ///
    /// # Errors
    /// The operating system's: the connection can't be served, and is dropped. This is taken for an error of accepting.
    fn connection(&self, stream: TcpStream, peer: SocketAddr, place: Place) -> io::Result<()>;

    /// The first stop signal has come: from now on every answer says that the connection closes, and idle connections end. A
    /// few more may still be given to [`connection`](Self::connection).
    fn drain(&self);
}

/// How a server went down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drained {
    /// Everything in flight was finished.
    Whole,
    /// A second signal or the deadline cut this many connections.
    Cut(usize),
}

/// Accepts for `server` until the first stop signal; then has it drain, accepts what already waits, closes the port, and returns
/// when every place was given back, or at the second signal or [`Timeouts::shutdown`](pw_core::Timeouts::shutdown).
///
/// Connections that were cut still run; they end with their runtimes.
pub async fn serve(listener: Listener, config: &Config, mut stop: Stop, server: impl Server) -> Drained {
    let places = Places::new(config.limits.connections.unwrap_or_else(descriptors::for_connections));
    {
        let mut accepting = pin!(accept(&listener, &places, &server));
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
    server.drain();
    config.stopping.begin();
    let (seconds, serving) = (config.timeouts.shutdown.as_secs(), places.taken());
    tracing::info!(
        target: "polywire",
        connections = serving,
        seconds,
        "stopping: what is in flight has this long; another signal ends it now"
    );
    if let Err(error) = accept_waiting(listener, &places, &server) {
        tracing::warn!(target: "polywire", %error, "can't accept the connections that wait");
    }

    let late = tokio::time::sleep(config.timeouts.shutdown);
    let whole = {
        let mut all_free = pin!(places.all_free());
        let mut second = pin!(stop.next());
        let mut late = pin!(late);
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
    // Counted once the wait for all places is over: it holds those that are free.
    match places.taken() {
        _ if whole => Drained::Whole,
        cut => Drained::Cut(cut),
    }
}

async fn accept(listener: &Listener, places: &Places, server: &impl Server) -> Infallible {
    let mut logged: Option<Instant> = None;
    loop {
        let place = places.take().await;
        let error = match listener.accept().await {
            Ok((stream, peer)) => match server.connection(stream, peer, place) {
                Ok(()) => continue,
                Err(error) => error,
            },
            Err(error) if is_the_clients(&error) => continue,
            Err(error) => {
                drop(place);
                error
            }
        };
        if logged.is_none_or(|at| at.elapsed() >= LOGGED) {
            logged = Some(Instant::now());
            tracing::warn!(target: "polywire", %error, "can't accept connections; trying again until it works");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Accepts what waits in the kernel's queue, as far as there is room, and closes the port.
fn accept_waiting(listener: Listener, places: &Places, server: &impl Server) -> io::Result<()> {
    let listener = listener.into_waiting()?;
    while let Some(place) = places.try_take() {
        match listener.accept() {
            Ok((stream, peer)) => server.connection(stream, peer, place)?,
            Err(error) if is_the_clients(&error) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Errors of one connection that died in the queue, not of accepting.
fn is_the_clients(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted
    )
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Mutex;

    use pw_core::Limits;
    use tokio::sync::mpsc;

    use super::*;

    /// Reports what it is given; at the signal a client of its own comes.
    struct Reports {
        events: mpsc::UnboundedSender<Event>,
        address: SocketAddr,
        clients: Mutex<Vec<TcpStream>>,
    }

    enum Event {
        Connection(TcpStream, Place),
        Drain,
    }

    impl Server for Reports {
        fn connection(&self, stream: TcpStream, _: SocketAddr, place: Place) -> io::Result<()> {
            self.events
                .send(Event::Connection(stream, place))
                .expect("the test listens");
            Ok(())
        }

        fn drain(&self) {
            self.events.send(Event::Drain).expect("the test listens");
            let client = TcpStream::connect(self.address).expect("the port is still open");
            self.clients.lock().expect("no test panics with it").push(client);
        }
    }

    /// Serves with room for this many while `test` runs.
    fn serving(
        connections: usize,
        test: impl AsyncFnOnce(SocketAddr, &crate::StopHandle, &mut mpsc::UnboundedReceiver<Event>),
    ) -> Drained {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be built");
        runtime.block_on(async {
            let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port can be bound");
            let address = listener.local_addr().expect("a bound socket has an address");
            let (events, mut reported) = mpsc::unbounded_channel();
            let (handle, stop) = Stop::by_hand();
            let config = Config {
                limits: Limits {
                    connections: Some(connections),
                    ..Limits::default()
                },
                ..Config::default()
            };
            let server = Reports {
                events,
                address,
                clients: Mutex::default(),
            };
            let served = tokio::spawn(async move { serve(listener, &config, stop, server).await });
            test(address, &handle, &mut reported).await;
            served.await.expect("the server does not panic")
        })
    }

    async fn connection(events: &mut mpsc::UnboundedReceiver<Event>) -> (TcpStream, Place) {
        match events.recv().await {
            Some(Event::Connection(stream, place)) => (stream, place),
            _ => panic!("a connection was to come"),
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn there_is_room_for_the_descriptors_of_a_crowd() {
        serving(1, async |_, stop, events| {
            stop.stop();
            assert!(matches!(events.recv().await, Some(Event::Drain)));
            drop(connection(events).await);
        });
        let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
        let room = status.lines().find_map(|line| line.strip_prefix("FDSize:"));
        let room: usize = room.expect("this, too").trim().parse().expect("a number");
        assert!(room >= descriptors::for_connections().min(1 << 16), "{room}");
    }

    #[test]
    fn no_more_are_accepted_than_there_are_places() {
        let drained = serving(1, async |address, stop, events| {
            let clients = [(); 2].map(|()| TcpStream::connect(address).expect("it listens"));
            let first = connection(events).await;
            // Both were in the queue when the acceptor looked.
            assert!(events.try_recv().is_err(), "there is one place");
            drop(first);
            let second = connection(events).await;
            stop.stop();
            assert!(matches!(events.recv().await, Some(Event::Drain)));
            drop((second, clients));
        });
        assert_eq!(drained, Drained::Whole);
    }

    #[test]
    fn who_comes_before_the_port_is_closed_is_served_after_the_drain_began() {
        let drained = serving(8, async |address, stop, events| {
            stop.stop();
            assert!(matches!(events.recv().await, Some(Event::Drain)));
            let (stream, place) = connection(events).await;
            let refused = TcpStream::connect(address).expect_err("the port is closed");
            assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
            drop((stream, place));
        });
        assert_eq!(drained, Drained::Whole);
    }

    #[test]
    fn a_second_signal_counts_those_it_cuts() {
        let mut cut = Vec::new();
        let drained = serving(8, async |address, stop, events| {
            let client = TcpStream::connect(address).expect("it listens");
            let first = connection(events).await;
            stop.stop();
            assert!(matches!(events.recv().await, Some(Event::Drain)));
            let second = connection(events).await;
            stop.stop();
            cut.push((client, first, second));
        });
        assert_eq!(drained, Drained::Cut(2));
    }
}
