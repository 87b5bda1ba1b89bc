//! The default log: `tracing` events as lines on stderr, for an application that installed no subscriber of its own.
//!
//! Lines, spans and colours are `tracing-subscriber`'s. What is decided here: which levels, and that one event is one line
//! whatever is in it. The library escapes what drives a terminal, but not line ends: a client could forge a line.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write as _};

use tracing::Subscriber;
use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::layer::SubscriberExt;

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

fn lines<W>(levels: Targets, color: bool, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(color)
        .fmt_fields(debug_fn(pair).delimited(" "))
        .log_internal_errors(false)
        .with_writer(writer);
    tracing_subscriber::registry().with(levels).with(lines)
}

/// What the variable asks for, and a complaint if that is nothing known.
fn chosen(default: LevelFilter) -> (Targets, Option<String>) {
    let all = |level| Targets::new().with_default(level);
    let Some(value) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) else {
        return (all(default), None);
    };
    match value.to_str().and_then(levels) {
        Some(levels) => (levels, None),
        None => {
            let complaint = format!(
                "{VARIABLE} is {value:?}, which is no level: give error, warn, info, debug, trace or off, or levels by \
                 target such as info,my_app=debug; logging at info"
            );
            (all(LevelFilter::INFO), Some(complaint))
        }
    }
}

/// `info`, or `info,my_app=debug,my_app::part=trace`; without a level for everything, nothing else is logged.
///
/// A word alone is a level or a mistake, other than in `Targets::from_str`: as a target, `inof` would silence all others.
fn levels(text: &str) -> Option<Targets> {
    let mut parts = text.split(',').map(str::trim);
    parts.try_fold(Targets::new(), |levels, part| match part.split_once('=') {
        Some(("", _)) => None,
        Some((target, name)) => Some(levels.with_target(target, level(name)?)),
        None => Some(levels.with_default(level(part)?)),
    })
}

fn level(name: &str) -> Option<LevelFilter> {
    // `LevelFilter` takes nothing at all for a level.
    (!name.is_empty()).then(|| name.parse().ok())?
}

/// The message, or `name=value`.
fn pair(out: &mut Writer<'_>, field: &Field, value: &dyn fmt::Debug) -> fmt::Result {
    match field.name() {
        "message" => write!(Escaped(out), "{value:?}"),
        name => write!(Escaped(out), "{name}={value:?}"),
    }
}

/// Control characters, line separators and marks that reorder text become their escapes.
struct Escaped<'a, 'w>(&'a mut Writer<'w>);

impl fmt::Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| match is_harmful(c) {
            true => write!(self.0, "{}", c.escape_default()),
            false => self.0.write_char(c),
        })
    }
}

fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::Level;

    use super::*;

    /// What is logged at info and above.
    fn logged(color: bool, log: impl FnOnce()) -> String {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let writer = Arc::clone(&kept);
        let levels = levels("info,quiet=error").unwrap();
        let lines = lines(levels, color, move || Kept(Arc::clone(&writer)));
        tracing::subscriber::with_default(lines, log);
        let bytes = kept.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_has_time_level_spans_target_message_and_values() {
        let line = logged(false, || {
            let _span = tracing::info_span!("request", id = "7").entered();
            tracing::warn!(target: "shop", stock = 3, name = "ann", "running out");
            tracing::debug!("not this");
            tracing::warn!(target: "quiet::part", "nor this");
        });
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.ends_with('Z') && time.contains('T'), "{time}");
        assert_eq!(
            rest,
            " WARN request{id=\"7\"}: shop: running out stock=3 name=\"ann\"\n"
        );
    }

    #[test]
    fn no_value_forges_a_line_or_drives_a_terminal() {
        let evil = "x\n2026-01-01T00:00:00Z ERROR forged\r\u{1b}[2J\u{9b}1m\u{2028}\u{202e}\0";
        let lines = logged(false, || {
            let _span = tracing::info_span!("request", path = %evil).entered();
            tracing::info!(shown = %evil, debug = ?evil, text = evil, "{evil}");
        });
        assert_eq!(lines.matches('\n').count(), 1, "{lines:?}");
        assert!(!lines.trim_end_matches('\n').contains(is_harmful), "{lines:?}");
        assert!(
            lines.contains("shown=x\\n2026-01-01T00:00:00Z ERROR forged\\r\\u{1b}[2J"),
            "{lines}"
        );
    }

    #[test]
    fn colour_is_for_terminals() {
        assert!(logged(true, || tracing::info!("hello")).contains("\x1b[32m INFO\x1b[0m "));
        assert!(!logged(false, || tracing::info!("hello")).contains('\x1b'));
    }

    #[test]
    fn the_most_specific_target_decides() {
        let levels = levels("warn,app=info, app::db=trace").unwrap();
        assert!(levels.would_enable("hyper", &Level::WARN) && !levels.would_enable("hyper", &Level::INFO));
        assert!(levels.would_enable("app::web", &Level::INFO) && !levels.would_enable("app::web", &Level::DEBUG));
        assert!(levels.would_enable("app::db::pool", &Level::TRACE));
    }

    #[test]
    fn what_is_no_level_is_refused() {
        for good in ["info", "WARN", "off", "info,my_app=debug", "my_app::part=trace"] {
            assert!(levels(good).is_some(), "{good}");
        }
        for bad in [
            "inof",
            "verbose",
            "info,my_app",
            "my_app=",
            "my_app=loud",
            "=info",
            "info,",
            "",
        ] {
            assert!(levels(bad).is_none(), "{bad}");
        }
        assert!(!levels("app=info").unwrap().would_enable("hyper", &Level::ERROR));
    }
}
