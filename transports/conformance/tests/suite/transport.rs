//! The transports, and a server that runs the application on one of them in this process.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use pw_core::{Limits, Middleware, Problem, Recover, RequestId, Table, Timeouts};
use pw_server::{Config, Drained, Listener, Stop};

use crate::application::{Application, Event, Handlers, TABLE};

/// More than any step of a test may take, on a machine that is busy with all the others.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// What runs the application.
#[derive(Clone, Copy, Debug)]
pub enum Transport {
    /// `pw-hyper`.
    Hyper,
    /// `pw-fast`.
    Fast,
}

/// What a server is started with.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Limits.
    pub limits: Limits,
    /// Timeouts.
    pub timeouts: Timeouts,
    /// Whether the application has something to await.
    pub world: bool,
}

impl Settings {
    /// With other limits.
    pub fn limits(set: impl FnOnce(&mut Limits)) -> Self {
        let mut settings = Self::default();
        set(&mut settings.limits);
        settings
    }

    /// With other timeouts.
    pub fn timeouts(set: impl FnOnce(&mut Timeouts)) -> Self {
        let mut settings = Self::default();
        set(&mut settings.timeouts);
        settings
    }
}

/// How a server went down: everything was finished, or this many connections were cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Down {
    /// Everything in flight was finished.
    Whole,
    /// Connections were cut.
    Cut(usize),
}

/// A running server. Dropping it stops it at once.
pub struct Server {
    address: SocketAddr,
    application: Arc<Application>,
    events: mpsc::Receiver<Event>,
    stop: Box<dyn Fn() + Send>,
    down: mpsc::Receiver<Down>,
    thread: Option<JoinHandle<()>>,
}

impl Transport {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Hyper, Self::Fast];

    /// Starts the application with the defaults.
    pub fn start(self) -> Server {
        self.start_with(Settings::default())
    }

    /// Starts the application on a free port.
    pub fn start_with(self, settings: Settings) -> Server {
        let (application, events) = Application::new();
        let application = Arc::new(application);
        let (ready, readied) = mpsc::channel();
        let (done, down) = mpsc::channel();
        let served = application.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime can be built");
            let outcome = runtime.block_on(self.serve(served, settings, move |address, stop| {
                ready.send((address, stop)).expect("the test waits for its server");
            }));
            // A test that has ended does not ask.
            let _ = done.send(outcome);
            runtime.shutdown_background();
        });
        let (address, stop) = readied.recv_timeout(PATIENCE).expect("the server starts");
        Server {
            address,
            application,
            events,
            stop,
            down,
            thread: Some(thread),
        }
    }

    /// Serves until it is stopped; `ready` learns the address and the way to give a stop signal.
    async fn serve(
        self,
        application: Arc<Application>,
        settings: Settings,
        ready: impl FnOnce(SocketAddr, Box<dyn Fn() + Send>),
    ) -> Down {
        if settings.world {
            application.build_world().await;
        }
        let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = Listener::bind(any_port).expect("a free port can be bound");
        let (handle, stop) = Stop::by_hand();
        let address = listener.local_addr().expect("a bound socket has an address");
        ready(address, Box::new(move || handle.stop()));
        let config = Config {
            limits: settings.limits,
            timeouts: settings.timeouts,
            workers: Some(2),
            ..Config::default()
        };
        let drained = match self {
            Self::Hyper => pw_hyper::serve(listener, Arc::new(OnHyper(application)), config, stop).await,
            Self::Fast => pw_fast::serve(listener, Arc::new(OnFast(application)), config, stop)
                .await
                .expect("two threads can be started"),
        };
        match drained {
            Drained::Whole => Down::Whole,
            Drained::Cut(connections) => Down::Cut(connections),
        }
    }
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The application.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// Waits for the next event of a paused handler.
    ///
    /// # Panics
    /// None comes, or another.
    pub fn expect_event(&self, wanted: Event) {
        let event = self.events.recv_timeout(PATIENCE);
        assert_eq!(event, Ok(wanted));
    }

    /// Gives a stop signal.
    pub fn stop(&self) {
        (self.stop)();
    }

    /// How it went down, if it has within this time.
    pub fn down_within(&self, time: Duration) -> Option<Down> {
        self.down.recv_timeout(time).ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.application.resume(1 << 20);
        (self.stop)();
        (self.stop)();
        let joined = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            joined
                .expect("a server is dropped once")
                .expect("the server did not panic");
        }
    }
}

/// The chain that applications have by default.
type Chain = (RequestId, Recover);

/// The application on `pw-hyper`, as generated code binds it.
struct OnHyper(Arc<Application>);

impl pw_hyper::Service for OnHyper {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &pw_hyper::Head, cx: &mut pw_hyper::Exchange) -> Result<(), Problem> {
        let chain: Chain = Default::default();
        chain.around(head, cx, Handlers(&self.0)).await
    }
}

/// The application on `pw-fast`, as generated code binds it.
struct OnFast(Arc<Application>);

impl pw_fast::Service for OnFast {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &pw_fast::Head, cx: &mut pw_fast::Exchange) -> Result<(), Problem> {
        let chain: Chain = Default::default();
        chain.around(head, cx, Handlers(&self.0)).await
    }
}
