//! An event as a line: time, level, the spans around it, target, message and values.
//!
//! The spans are known to `tracing-subscriber`'s registry. The library has lines, too, which look the same; they can do much more, and
//! no option leaves that out of the binary (`ARCHITECTURE.md`). Which events come: `levels.rs`.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

use super::levels::Levels;

/// Writes each event as one line, and keeps for them what the spans say.
pub(super) struct Lines<W> {
    pub(super) levels: Levels,
    /// The lines are for a terminal.
    pub(super) color: bool,
    pub(super) writer: W,
}

impl<S, W> Layer<S> for Lines<W>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    W: for<'w> MakeWriter<'w> + 'static,
{
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        match self.wants(metadata) {
            true => Interest::always(),
            false => Interest::never(),
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        self.wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.levels.most())
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let values = Values::of(|values| attributes.record(values));
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(values);
        }
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        // Before the span is locked: writing a value may log.
        let more = Values::of(|values| record.record(values));
        if let Some(span) = context.span(id)
            && let Some(values) = span.extensions_mut().get_mut::<Values>()
            && !more.0.is_empty()
        {
            values.begin();
            values.0.push_str(&more.0);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut line = Line {
            color: self.color,
            text: String::new(),
        };
        let metadata = event.metadata();
        line.put(DIM, &time());
        line.text.push(' ');
        let (color, level) = match *metadata.level() {
            Level::ERROR => (RED, "ERROR"),
            Level::WARN => (YELLOW, " WARN"),
            Level::INFO => (GREEN, " INFO"),
            Level::DEBUG => (BLUE, "DEBUG"),
            Level::TRACE => (PURPLE, "TRACE"),
        };
        line.put(color, level);
        line.text.push(' ');
        if let Some(scope) = context.event_scope(event) {
            for span in scope.from_root() {
                line.put(BOLD, span.name());
                if let Some(Values(values)) = span.extensions().get()
                    && !values.is_empty()
                {
                    line.put(BOLD, "{");
                    line.text.push_str(values);
                    line.put(BOLD, "}");
                }
                line.put(DIM, ":");
            }
            line.text.push(' ');
        }
        line.put(DIM, metadata.target());
        line.put(DIM, ":");
        line.text.push(' ');
        line.text.push_str(&Values::of(|values| event.record(values)).0);
        line.text.push('\n');
        // Nobody to tell if stderr is closed.
        let _ = self.writer.make_writer_for(metadata).write_all(line.text.as_bytes());
    }
}

impl<W> Lines<W> {
    fn wants(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.levels.of(metadata.target())
    }
}

fn time() -> String {
    let mut text = String::new();
    // A string takes everything.
    let _ = SystemTime.format_time(&mut Writer::new(&mut text));
    text
}

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const BLUE: &str = "\x1b[34m";
const PURPLE: &str = "\x1b[35m";

struct Line {
    color: bool,
    text: String,
}

impl Line {
    fn put(&mut self, style: &str, text: &str) {
        if self.color {
            self.text.push_str(style);
        }
        self.text.push_str(text);
        if self.color {
            self.text.push_str("\x1b[0m");
        }
    }
}

/// A message, and `name=value` for all else.
struct Values(String);

impl Values {
    fn of(record: impl FnOnce(&mut Self)) -> Self {
        let mut values = Self(String::new());
        record(&mut values);
        values
    }

    /// Another is to come.
    fn begin(&mut self) {
        if !self.0.is_empty() {
            self.0.push(' ');
        }
    }

    fn put(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        self.begin();
        let mut out = Escaped(&mut self.0);
        // What a value can't write is its own loss.
        let _ = match field.name() {
            "message" => out.write_fmt(value),
            name => write!(out, "{name}={value}"),
        };
    }
}

impl Visit for Values {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format_args!("{value:?}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // By what writes JSON, which is in every binary; what the standard library writes a float with is 23 kB beside it.
        match serde_json::Number::from_f64(value) {
            Some(number) => self.put(field, format_args!("{number}")),
            None if value.is_nan() => self.put(field, format_args!("NaN")),
            None if value > 0.0 => self.put(field, format_args!("inf")),
            None => self.put(field, format_args!("-inf")),
        }
    }
}

/// Control characters, line separators and marks that reorder text become their escapes.
struct Escaped<'a>(&'a mut String);

impl fmt::Write for Escaped<'_> {
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
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing::field::Empty;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    /// What is logged at info and above, with colours or without.
    fn logged(color: bool, log: impl FnOnce()) -> String {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let writer = Arc::clone(&kept);
        let lines = Lines {
            levels: Levels::parse("info,quiet=error").unwrap(),
            color,
            writer: move || Kept(Arc::clone(&writer)),
        };
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), log);
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

    /// A line without its time.
    fn after_time(line: &str) -> &str {
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.ends_with('Z') && time.contains('T'), "{time}");
        rest
    }

    #[test]
    fn a_line_has_time_level_spans_target_message_and_values() {
        let lines = logged(false, || {
            tracing::error!(target: "shop", "closed");
            let _outer = tracing::info_span!("serve").entered();
            let span = tracing::info_span!("request", id = "7", user = Empty, role = Empty).entered();
            tracing::warn!(target: "shop", stock = 3, name = "ann", "running out");
            span.record("user", 5).record("role", "cook");
            tracing::info!(target: "shop", done = true);
            tracing::debug!("not this");
            tracing::warn!(target: "quiet::part", "nor this");
        });
        let lines: Vec<&str> = lines.lines().map(after_time).collect();
        assert_eq!(
            lines,
            [
                "ERROR shop: closed",
                " WARN serve:request{id=\"7\"}: shop: running out stock=3 name=\"ann\"",
                " INFO serve:request{id=\"7\" user=5 role=\"cook\"}: shop: done=true",
            ]
        );
    }

    #[test]
    fn a_value_that_logs_while_it_is_written_is_written() {
        struct Logs;
        impl fmt::Debug for Logs {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                tracing::info!(target: "within", "hello");
                out.write_str("Logs")
            }
        }
        let lines = logged(false, || {
            let span = tracing::info_span!("s", v = Empty).entered();
            span.record("v", tracing::field::debug(Logs));
            tracing::info!(target: "shop", "done");
        });
        let lines: Vec<&str> = lines.lines().map(after_time).collect();
        assert_eq!(lines, [" INFO s: within: hello", " INFO s{v=Logs}: shop: done",]);
    }

    #[test]
    fn floats_are_written_whole() {
        let lines = logged(false, || {
            tracing::info!(target: "shop", a = 0.1, b = -2.0, c = f64::NAN, d = f64::INFINITY, e = -f64::INFINITY);
        });
        assert_eq!(after_time(&lines), " INFO shop: a=0.1 b=-2.0 c=NaN d=inf e=-inf\n");
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
        let log = || {
            let _span = tracing::info_span!("request", id = 7).entered();
            tracing::info!(target: "shop", "hello");
        };
        let line = logged(true, log);
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.starts_with("\x1b[2m") && time.ends_with("Z\x1b[0m"), "{time:?}");
        assert_eq!(
            rest,
            "\x1b[32m INFO\x1b[0m \x1b[1mrequest\x1b[0m\x1b[1m{\x1b[0mid=7\x1b[1m}\x1b[0m\x1b[2m:\x1b[0m \
             \x1b[2mshop\x1b[0m\x1b[2m:\x1b[0m hello\n"
        );
        assert!(!logged(false, log).contains('\x1b'));
    }
}
