//! `App`: from generated routes to a running process, with everything an operator may set.
//!
//! What it must not know: which transport runs (`transport.rs`), what an argument looks like (`arguments.rs`).

use std::error::Error;
use std::future::Future;
use std::io::{self, Write};
use std::panic::Location;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use pw_core::{Limits, Timeouts};

use crate::transport::{self, Application, Config, Listener, Service};
use crate::{arguments, listen, log};

type BoxError = Box<dyn Error + Send + Sync>;
type Building<R> = Pin<Box<dyn Future<Output = Result<R, BoxError>>>>;

/// An application, about to run: its generated routes and its settings.
///
/// ```no_run
/// # use polywire::prelude::*;
/// # mod generated { pub use polywire::testing::Nothing as Routes; }
/// fn main() -> ExitCode {
///     App::new(generated::Routes::new()).listen("0.0.0.0:8080").run()
/// }
/// ```
///
/// Where it listens: `--listen ADDR` on the command line, else `POLYWIRE_LISTEN` in the environment, else
/// [`listen`](Self::listen), else 127.0.0.1:8080. Arguments that are not Polywire's are the application's own, see
/// [`args`](crate::args). What it logs: `POLYWIRE_LOG` (`error`, `warn`, `info`, `debug`, `trace`, `off`, or levels by
/// target such as `info,my_app=debug`), on stderr, unless the application has set a `tracing` subscriber of its own.
///
/// # Where handlers run
///
/// In a tokio runtime, on every transport: they may await timers, sockets, and all that is made of them.
///
/// * `transport-hyper`: in one runtime of several threads, which built the state and accepts connections, too. What a handler holds
///   across an `await` must be `Send`; so it must where this feature is on and fast runs.
/// * `transport-fast`: each worker is a thread with a current-thread runtime of its own. A handler, and what it spawns, stays on the
///   worker that its connection was given to. State is built in one more such runtime, on the thread that called
///   [`run`](Self::run), which lives as long as the workers and accepts connections. `tokio::task::block_in_place` panics, as it
///   does in any current-thread runtime.
///
/// A handler that blocks its thread holds up others: on fast all connections of its worker, on hyper whatever waits for that
/// thread. Work that blocks belongs in `tokio::task::spawn_blocking`.
#[must_use = "an `App` does nothing until `run` is called"]
pub struct App<R> {
    build: Box<dyn FnOnce() -> Building<R>>,
    listen: Option<listen::InCode>,
    config: Config,
    about: String,
    usage: String,
}

impl<R: Application> App<R> {
    /// An application whose routes, and with them its state, are there already. There is no runtime yet: what is to be connected or
    /// spawned at the start, such as a clock that feeds a stream, is for [`build`](Self::build).
    pub fn new(routes: R) -> Self {
        Self::build(async || Ok::<_, BoxError>(routes))
    }

    /// An application whose state takes I/O to make. The constructor runs once, before the port opens, on a runtime
    /// that outlives every handler: what it connects or spawns stays good.
    ///
    /// An error is one line on stderr and exit code 1.
    ///
    /// ```no_run
    /// # use polywire::prelude::*;
    /// # mod generated { pub use polywire::testing::Nothing as Routes; }
    /// async fn build() -> Result<generated::Routes, std::io::Error> {
    ///     let _template = std::fs::read_to_string("page.html")?;
    ///     Ok(generated::Routes::new())
    /// }
    ///
    /// fn main() -> ExitCode {
    ///     App::build(build).run()
    /// }
    /// ```
    pub fn build<F, E>(build: F) -> Self
    where
        F: AsyncFnOnce() -> Result<R, E> + 'static,
        E: Into<BoxError>,
    {
        Self {
            build: Box::new(|| Box::pin(async { build().await.map_err(Into::into) })),
            listen: None,
            config: Config::default(),
            about: String::new(),
            usage: String::new(),
        }
    }
}

impl<R> App<R> {
    /// The address to listen on where neither the command line nor the environment names one: an IP address and a port.
    #[track_caller]
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.listen = Some(listen::InCode {
            address: address.into(),
            place: Location::caller(),
        });
        self
    }

    /// How much one client may make the server hold.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// How long one client may take.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.config.timeouts = timeouts;
        self
    }

    /// How many threads serve: one for each core unless this says otherwise, and at least one.
    pub fn workers(mut self, count: usize) -> Self {
        self.config.workers = Some(count.max(1));
        self
    }

    /// For how many exchanges at once each worker makes the buffers before it takes its first connection: none unless this says
    /// otherwise, and the first requests make them. It is for where the transport pools them (fast); on others it does nothing.
    pub fn prewarm(mut self, exchanges: usize) -> Self {
        self.config.prewarm = exchanges;
        self
    }

    /// What the application is, for `--help`: a sentence.
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    /// The application's own arguments, for `--help`: lines, printed as they are.
    pub fn usage(mut self, usage: impl Into<String>) -> Self {
        self.usage = usage.into();
        self
    }

    fn help(&self, program: &str) -> String {
        use std::fmt::Write as _;
        let mut text = String::new();
        if !self.about.is_empty() {
            let _ = writeln!(text, "{}\n", self.about);
        }
        let own = if self.usage.is_empty() { "" } else { " [ARGUMENTS]" };
        let code = self.listen.as_ref().map_or("127.0.0.1:8080", |code| &code.address);
        let _ = write!(
            text,
            "Usage: {program} [--listen ADDR]{own}\n\n\
             Options:\n  \
               --listen ADDR    listen on this address and port (default: {code})\n  \
               -h, --help       print this\n",
        );
        if !self.usage.is_empty() {
            let _ = writeln!(text, "\nArguments:\n{}", self.usage.trim_matches('\n'));
        }
        let _ = write!(
            text,
            "\nEnvironment:\n  \
               {}  where to listen, unless --listen says\n  \
               {}     error, warn, info, debug, trace or off, or by target: info,my_app=debug\n",
            listen::VARIABLE,
            log::VARIABLE,
        );
        text
    }
}

impl<R: Application> App<R> {
    /// Runs until a signal ends it (SIGTERM or Ctrl-C, a second one to stop at once), and says how it went: 0 after
    /// `--help` or a clean end, 1 after an error, which is one line on stderr.
    ///
    /// It must be called outside any async runtime, as it makes its own.
    pub fn run(self) -> ExitCode {
        let (own, _) = arguments::split(std::env::args_os());
        if own.help {
            // A closed pipe is no failure of `--help`.
            let _ = io::stdout().write_all(self.help(&program()).as_bytes());
            return ExitCode::SUCCESS;
        }
        match self.serve(own) {
            Ok(()) => ExitCode::SUCCESS,
            Err(line) => {
                let _ = writeln!(io::stderr(), "error: {line}");
                ExitCode::FAILURE
            }
        }
    }

    fn serve(self, own: arguments::Own) -> Result<(), String> {
        let address = listen::address(own.listen, std::env::var_os(listen::VARIABLE), self.listen)
            .map_err(|wrong| wrong.to_string())?;
        log::install();
        let config = self.config.clone();
        let main = async {
            let routes = (self.build)().await.map_err(|error| one_line(&*error))?;
            let listener = Listener::bind(address).map_err(|error| listen::cannot_bind(address, &error))?;
            let address = listener.local_addr().unwrap_or(address);
            announce(address, &routes);
            let served = Service::new(Arc::new(routes), self.config).serve(listener).await;
            served.map_err(|error| format!("the server failed: {error}"))
        };
        transport::run(&config, main).map_err(|error| format!("can't start the runtime: {error}"))?
    }
}

fn announce<R: Application>(address: std::net::SocketAddr, routes: &R) {
    let table = transport::table(routes);
    tracing::info!(
        target: "polywire",
        transport = transport::NAME,
        routes = table.routes().len(),
        "listening on http://{address}"
    );
    for route in table.routes() {
        tracing::debug!(
            target: "polywire",
            name = route.name(),
            handler = route.handler(),
            "{} {}",
            route.method(),
            route.pattern()
        );
    }
}

/// The program's name, as it was called.
fn program() -> String {
    let path = std::env::args_os().next().unwrap_or_default();
    let name = std::path::Path::new(&path).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// An error and all it came from, on one line.
fn one_line(error: &(dyn Error + 'static)) -> String {
    let mut line = String::from("the application can't start");
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        let lines = text.split(['\n', '\r']).map(str::trim);
        for (at, words) in lines.filter(|words| !words.is_empty()).enumerate() {
            line.push_str(if at == 0 { ": " } else { "; " });
            line.push_str(words);
        }
        next = error.source();
    }
    line
}
