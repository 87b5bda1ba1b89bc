//! The default log: `tracing` events as lines on stderr, for an application that installed no subscriber of its own.
//!
//! Spans are `tracing-subscriber`'s. `levels.rs` says which events are logged, `lines.rs` what a line looks like, and that one event
//! is one line whatever is in it: else a client could forge one.

use std::io::{self, IsTerminal, Write as _};

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

use self::levels::Levels;
use self::lines::Lines;

mod levels;
mod lines;

/// The environment variable that names the level.
pub(crate) const VARIABLE: &str = "POLYWIRE_LOG";

/// Logs to stderr from here on, unless the application has set a subscriber of its own.
pub(crate) fn install() {
    let (levels, complaint) = chosen(LevelFilter::INFO);
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let color = io::stderr().is_terminal() && !no_color;
    let installed = tracing::subscriber::set_global_default(lines(levels, color, io::stderr)).is_ok();
    if let (true, Some(complaint)) = (installed, complaint) {
        // Nobody to tell if stderr is closed.
        let _ = writeln!(io::stderr(), "{complaint}");
    }
    if installed {
        log_panics();
    }
}

/// Panics as lines of the log: the standard hook prints their message as it is, and that may be a client's text. Who asks for a
/// backtrace gets the standard hook's words as well.
fn log_panics() {
    let standard = std::panic::take_hook();
    let backtrace = std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0");
    std::panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map_or_else(String::new, ToString::to_string);
        let message = panic.payload_as_str().unwrap_or("(not text)");
        tracing::error!(target: "polywire", place, message, "panicked");
        if backtrace {
            standard(panic);
        }
    }));
}

/// The same log for tests: what their harness captures, warnings and worse unless the variable says otherwise.
pub(crate) fn for_tests() -> tracing::Dispatch {
    let captured = tracing_subscriber::fmt::TestWriter::with_stderr;
    tracing::Dispatch::new(lines(chosen(LevelFilter::WARN).0, false, captured))
}

fn lines<W>(levels: Levels, color: bool, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = Lines { levels, color, writer };
    tracing_subscriber::registry().with(lines)
}

/// What the variable asks for, and a complaint if that is nothing known.
fn chosen(default: LevelFilter) -> (Levels, Option<String>) {
    let Some(value) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) else {
        return (Levels::all(default), None);
    };
    match value.to_str().and_then(Levels::parse) {
        Some(levels) => (levels, None),
        None => {
            let complaint = format!(
                "{VARIABLE} is {value:?}, which is no level: give error, warn, info, debug, trace or off, or levels by \
                 target such as info,my_app=debug; logging at info"
            );
            (Levels::all(LevelFilter::INFO), Some(complaint))
        }
    }
}
