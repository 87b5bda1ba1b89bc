//! `TestApp`: an application that is served on threads of its own, through pipes.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pw_core::{Limits, Timeouts};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::{Handle, Runtime};

#[cfg(feature = "ws")]
use super::Socket;
use super::background::{Background, Log};
use super::wire::{self, Failure, Head, Opened};
use super::{Answer, PEER, Request};
use crate::transport::{self, Application, Config, Pipes, Service};

/// How long a request waits for its answer, in real time.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many bytes a pipe holds each way before its writer waits, as a socket's buffers do.
const PIPE: usize = 64 * 1024;

/// Why a test gives up where the system has nothing left.
const ROOM: &str = "a test needs a few threads and event queues of the system";

/// An application under test.
///
/// Requests go over kept-alive connections; requests at the same time, from several threads, take one each. What the
/// application logs (warnings and worse, or what `POLYWIRE_LOG` says) shows in the test's captured output, unless a
/// `tracing` subscriber was set before.
///
/// ```
/// # use polywire::testing::Nothing as Routes;
/// use polywire::{problem, testing::TestApp};
///
/// let app = TestApp::new(Routes::new());
/// app.get("/nowhere").send().assert_problem(&problem::kind::NOT_FOUND);
/// ```
pub struct TestApp {
    server: Arc<Server>,
    background: Background,
}

/// What a request's task holds.
pub(super) struct Server {
    serve: Pipes,
    idle: Mutex<Vec<DuplexStream>>,
    connections: AtomicUsize,
    stopped: AtomicBool,
}

impl TestApp {
    /// Serves the application with the default limits and timeouts.
    pub fn new<R: Application>(routes: R) -> Self {
        Self::with(routes, Limits::default(), Timeouts::default())
    }

    /// Serves the application with limits and timeouts that suit the test, such as short ones.
    pub fn with<R: Application>(routes: R, limits: Limits, timeouts: Timeouts) -> Self {
        let log = Log::new();
        Self::serving(runtime(&log), log, routes, config(limits, timeouts))
    }

    /// Serves an application whose state takes I/O to make, with the constructor that
    /// [`App::build`](crate::App::build) is given. It runs on the same kind of runtime.
    ///
    /// # Panics
    /// The constructor gave an error.
    #[track_caller]
    pub fn build<R, F, E>(build: F) -> Self
    where
        R: Application,
        F: AsyncFnOnce() -> Result<R, E> + Send,
        E: Display + Send,
    {
        let log = Log::new();
        let runtime = runtime(&log);
        // A thread of its own, so that a test that is async itself may call this.
        let built = std::thread::scope(|scope| {
            let building = scope.spawn(|| {
                log.set();
                runtime.block_on(build())
            });
            building.join()
        });
        let failed = match built {
            Ok(Ok(routes)) => {
                return Self::serving(runtime, log, routes, config(Limits::default(), Timeouts::default()));
            }
            Ok(Err(error)) => Ok(error),
            Err(panic) => Err(panic),
        };
        // Not by the runtime's own drop, which panics where a test is async.
        runtime.shutdown_background();
        match failed {
            Ok(error) => panic!("the application can't start: {error}"),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }

    fn serving<R: Application>(runtime: Runtime, log: Log, routes: R, config: Config) -> Self {
        let service = Service::new(Arc::new(routes), config);
        let on_start = log.clone();
        let server = Server {
            serve: service.pipes(&runtime, move || on_start.set()).expect(ROOM),
            idle: Mutex::default(),
            connections: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        };
        Self {
            server: Arc::new(server),
            background: Background::start(runtime, log).expect(ROOM),
        }
    }

    /// A GET request.
    #[track_caller]
    pub fn get(&self, target: impl Into<String>) -> Request<'_> {
        self.request("GET", target)
    }

    /// A HEAD request.
    #[track_caller]
    pub fn head(&self, target: impl Into<String>) -> Request<'_> {
        self.request("HEAD", target)
    }

    /// A POST request.
    #[track_caller]
    pub fn post(&self, target: impl Into<String>) -> Request<'_> {
        self.request("POST", target)
    }

    /// A PUT request.
    #[track_caller]
    pub fn put(&self, target: impl Into<String>) -> Request<'_> {
        self.request("PUT", target)
    }

    /// A PATCH request.
    #[track_caller]
    pub fn patch(&self, target: impl Into<String>) -> Request<'_> {
        self.request("PATCH", target)
    }

    /// A DELETE request.
    #[track_caller]
    pub fn delete(&self, target: impl Into<String>) -> Request<'_> {
        self.request("DELETE", target)
    }

    /// An OPTIONS request.
    #[track_caller]
    pub fn options(&self, target: impl Into<String>) -> Request<'_> {
        self.request("OPTIONS", target)
    }

    /// A request of any method. The target goes out as it is: percent-encode what needs it.
    ///
    /// # Panics
    /// The method or the target can't stand in a request line. [`raw`](Self::raw) sends anything.
    #[track_caller]
    pub fn request(&self, method: impl Into<String>, target: impl Into<String>) -> Request<'_> {
        Request::new(self, method.into(), target.into())
    }

    /// Sends bytes on a connection of their own, closes its sending half, and gives everything that comes back until
    /// the server closes: for requests that no client of good will would send, such as an upload that breaks off.
    ///
    /// # Panics
    /// The server keeps the connection open for more than 30 seconds, or was [stopped](Self::stop).
    #[track_caller]
    pub fn raw(&self, bytes: impl Into<Vec<u8>>) -> Vec<u8> {
        let (server, bytes) = (Arc::clone(&self.server), bytes.into());
        let answers = self.wait(async move {
            let (mut read, mut write) = tokio::io::split(server.connect()?);
            tokio::spawn(async move {
                // The server may answer, and close, without reading to the end.
                let _ = write.write_all(&bytes).await;
                let _ = write.shutdown().await;
            });
            let mut answers = Vec::new();
            let _ = read.read_to_end(&mut answers).await;
            Ok::<_, Failure>(answers)
        });
        match answers {
            Ok(Ok(answers)) => answers,
            Ok(Err(failure)) => panic!("{failure}"),
            Err(patience) => panic!("the connection was still open after {patience:?}"),
        }
    }

    /// Opens a WebSocket: short for [`get(target).socket()`](Request::socket).
    ///
    /// # Panics
    /// The answer is something else than 101.
    #[cfg(feature = "ws")]
    #[track_caller]
    pub fn socket(&self, target: impl Into<String>) -> Socket<'_> {
        self.get(target).socket()
    }

    /// Begins the shutdown, as a real server does at SIGTERM, and waits for nothing: the port is closed, events end, WebSockets close with
    /// 1001, idle connections end, and a request in flight is answered with `connection: close`. Streams and sockets stay readable.
    ///
    /// Here nothing is cut: `Timeouts::shutdown` is for the process as a whole. A stream without an end goes on until it is dropped.
    ///
    /// ```no_run
    /// # use polywire::testing::{Nothing as Routes, TestApp};
    /// # let app = TestApp::new(Routes::new());
    /// let (mut clock, mut socket) = (app.get("/clock").send_stream(), app.socket("/talk"));
    /// app.stop();
    /// while clock.event().is_some() {}
    /// assert_eq!(socket.closed(), 1001);
    /// ```
    ///
    /// Wrong: a request after it. It panics, as there is no port to connect to.
    pub fn stop(&self) {
        self.server.stopped.store(true, Ordering::Release);
        self.server.serve.stop();
    }

    /// How many connections were opened so far: 1 for as long as every answer let the next request use its connection.
    pub fn connections(&self) -> usize {
        self.server.connections.load(Ordering::Relaxed)
    }

    pub(super) fn server(&self) -> Arc<Server> {
        Arc::clone(&self.server)
    }

    /// Has the application's runtime do something, and waits for it here, where there may be another runtime or none.
    ///
    /// # Errors
    /// It is not done after so long.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Duration> {
        let (done, wait) = std::sync::mpsc::sync_channel(1);
        let task = self.runtime().spawn(async move {
            let _ = done.send(future.await);
        });
        wait.recv_timeout(PATIENCE).map_err(|_| {
            task.abort();
            PATIENCE
        })
    }

    pub(super) fn runtime(&self) -> &Handle {
        self.background.runtime()
    }
}

impl Server {
    /// One request and its answer, on a connection that is idle or else new. It runs on the server's runtime.
    pub(super) async fn exchange(&self, method: &str, request: Vec<u8>) -> Result<Answer, Failure> {
        let attempt = self.attempt(method, request);
        tokio::time::timeout(PATIENCE, attempt)
            .await
            .unwrap_or(Err(Failure::Timeout(PATIENCE)))
    }

    /// One request and the head of its answer, on a connection of its own.
    pub(super) async fn open(&self, method: &str, request: Vec<u8>) -> Result<(Head, Opened), Failure> {
        Opened::new(self.connect()?, method, request.into()).await
    }

    async fn attempt(&self, method: &str, request: Vec<u8>) -> Result<Answer, Failure> {
        let request: Arc<[u8]> = request.into();
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let kept = idle().pop().filter(|_| !self.stopped.load(Ordering::Acquire));
            let fresh = kept.is_none();
            let io = match kept {
                Some(kept) => kept,
                None => self.connect()?,
            };
            match wire::exchange(io, method, Arc::clone(&request)).await {
                // The server gave up on the idle connection before this request came.
                Err(Failure::NoAnswer) if !fresh => {}
                Ok((answer, reusable)) => {
                    if let Some(io) = reusable {
                        idle().push(io);
                    }
                    return Ok(answer);
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    fn connect(&self) -> Result<DuplexStream, Failure> {
        if self.stopped.load(Ordering::Acquire) {
            return Err(Failure::Stopped);
        }
        self.connections.fetch_add(1, Ordering::Relaxed);
        let (client, server) = tokio::io::duplex(PIPE);
        self.serve.connect(server, PEER);
        Ok(client)
    }
}

/// Two threads serve, so that requests at the same time meet on the application's state as they would when it runs.
fn config(limits: Limits, timeouts: Timeouts) -> Config {
    Config {
        limits,
        timeouts,
        workers: Some(2),
        ..Config::default()
    }
}

/// What the application is built on.
fn runtime(log: &Log) -> Runtime {
    let (config, log) = (config(Limits::default(), Timeouts::default()), log.clone());
    transport::runtime(&config, move || log.set()).expect(ROOM)
}

#[cfg(all(test, any(feature = "transport-fast", feature = "transport-hyper")))]
mod tests {
    use super::*;
    use crate::testing::Nothing;

    #[test]
    fn a_shutdown_ends_idle_connections() {
        let app = TestApp::new(Nothing::new());
        app.get("/").send().assert_status(404);
        let mut idle = app.server.idle.lock().unwrap().pop().expect("it was kept");
        app.stop();
        let read = app.wait(async move { idle.read_u8().await.map_err(|error| error.kind()) });
        assert_eq!(read, Ok(Err(std::io::ErrorKind::UnexpectedEof)));
    }
}
