//! The default log: `tracing` events as lines on stderr, for an application that installed no subscriber of its own.
//!
//! One event is one line, whatever is in it: control characters in messages, values and span fields are escaped, so that
//! a client can't forge a line or drive a terminal.

use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write as _};
use std::str::FromStr;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;

/// The environment variable that names the level.
pub(crate) const VARIABLE: &str = "POLYWIRE_LOG";

/// Logs to stderr from here on, unless the application has set a subscriber of its own.
pub(crate) fn install() {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let color = io::stderr().is_terminal() && !no_color;
    let (targets, complaint) = level(LevelFilter::INFO);
    let installed = tracing::subscriber::set_global_default(subscriber(targets, color, io::stderr)).is_ok();
    if let (true, Some(complaint)) = (installed, complaint) {
        // Nobody to tell if stderr is closed.
        let _ = writeln!(io::stderr(), "{complaint}");
    }
}

/// The same log for tests: what their harness captures, warnings and worse unless the variable says otherwise.
pub(crate) fn for_tests() -> tracing::Dispatch {
    tracing::Dispatch::new(subscriber(level(LevelFilter::WARN).0, false, || Captured))
}

fn subscriber<W>(targets: Targets, color: bool, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer()
        .event_format(Line { color })
        .fmt_fields(Pairs)
        .with_ansi(false)
        .log_internal_errors(false)
        .with_writer(writer);
    tracing_subscriber::registry().with(targets).with(lines)
}

/// What the variable asks for, and a complaint if that is nothing known.
fn level(default: LevelFilter) -> (Targets, Option<String>) {
    let default = Targets::new().with_default(default);
    let Some(value) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) else {
        return (default, None);
    };
    match value.to_str().map(Targets::from_str) {
        Some(Ok(targets)) if is_plausible(&value.to_string_lossy()) => (targets, None),
        _ => {
            let complaint = format!(
                "{VARIABLE} is {value:?}, which is no level: give error, warn, info, debug, trace or off, or levels by \
                 target such as info,my_app=debug; logging at info"
            );
            (Targets::new().with_default(LevelFilter::INFO), Some(complaint))
        }
    }
}

/// A bare word that is no level would be taken as a target, and silence all others: `POLYWIRE_LOG=inof`.
fn is_plausible(value: &str) -> bool {
    value
        .split(',')
        .map(str::trim)
        .all(|part| part.contains('=') || !part.is_empty() && LevelFilter::from_str(part).is_ok())
}

/// One event: time, level, spans from the outside in, target, then message and values.
struct Line {
    color: bool,
}

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(&self, cx: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        SystemTime.format_time(&mut out)?;
        let level = *event.metadata().level();
        match color(level).filter(|_| self.color) {
            Some(color) => write!(out, " \x1b[{color}m{level:>5}\x1b[0m ")?,
            None => write!(out, " {level:>5} ")?,
        }
        for span in cx.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            out.write_str(span.name())?;
            if let Some(fields) = span.extensions().get::<FormattedFields<N>>().filter(|f| !f.is_empty()) {
                write!(out, "{{{fields}}}")?;
            }
            out.write_char(' ')?;
        }
        write!(out, "{}: ", event.metadata().target())?;
        cx.format_fields(out.by_ref(), event)?;
        writeln!(out)
    }
}

/// The terminal's code for a level.
fn color(level: Level) -> Option<u8> {
    match level {
        Level::ERROR => Some(31),
        Level::WARN => Some(33),
        Level::INFO => Some(32),
        _ => None,
    }
}

/// The message and `name=value` pairs, escaped.
struct Pairs;

impl<'w> FormatFields<'w> for Pairs {
    fn format_fields<R: RecordFields>(&self, mut out: Writer<'w>, fields: R) -> fmt::Result {
        let mut pair = Pair {
            out: Escaped(&mut out),
            first: true,
            outcome: Ok(()),
        };
        fields.record(&mut pair);
        pair.outcome
    }
}

struct Pair<'a, 'w> {
    out: Escaped<'a, Writer<'w>>,
    first: bool,
    outcome: fmt::Result,
}

impl Visit for Pair<'_, '_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let space = if std::mem::take(&mut self.first) { "" } else { " " };
        let written = match field.name() {
            "message" => write!(self.out, "{space}{value:?}"),
            name => write!(self.out, "{space}{name}={value:?}"),
        };
        self.outcome = self.outcome.and(written);
    }
}

/// Writes control characters, line separators and marks that reorder text as their escapes.
struct Escaped<'a, W>(&'a mut W);

impl<W: fmt::Write> fmt::Write for Escaped<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some(at) = rest.find(is_harmful) {
            let harmful = rest[at..].chars().next().expect("a character was found here");
            self.0.write_str(&rest[..at])?;
            write!(self.0, "{}", harmful.escape_default())?;
            rest = &rest[at + harmful.len_utf8()..];
        }
        self.0.write_str(rest)
    }
}

fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Stderr as a test harness captures it, which is by `eprint!` alone.
struct Captured;

impl io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        eprint!("{}", String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(color: bool, log: impl FnOnce()) -> String {
        let kept = Kept::default();
        let writer = kept.clone();
        let targets = Targets::new().with_default(LevelFilter::INFO);
        tracing::subscriber::with_default(subscriber(targets, color, move || writer.clone()), log);
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_has_time_level_spans_target_message_and_values() {
        let line = logged(false, || {
            let _span = tracing::info_span!("request", id = "7").entered();
            tracing::warn!(target: "shop", stock = 3, name = "ann", "running out");
            tracing::debug!("not this");
        });
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.ends_with('Z') && time.contains('T'), "{time}");
        assert_eq!(rest, " WARN request{id=\"7\"} shop: running out stock=3 name=\"ann\"\n");
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
    fn a_word_that_is_no_level_is_not_taken_for_a_target() {
        for good in ["info", "WARN", "off", "info,my_app=debug", "my_app::part=trace", "3"] {
            assert!(is_plausible(good), "{good}");
        }
        for bad in ["inof", "verbose", "info,my_app", ""] {
            assert!(!is_plausible(bad), "{bad}");
        }
    }
}
