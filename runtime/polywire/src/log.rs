//! The default log: `tracing` events as lines on stderr, for an application that installed no subscriber of its own.
//!
//! It does one thing: `tracing-subscriber`, of which an application may have all, was 47 kB and four crates more for the
//! same lines. What an event looks like: [`line`]. Which are logged: [`levels`].

mod levels;
mod line;
mod spans;

use std::io::{self, IsTerminal, Write};

use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use tracing_core::span::Current;

use levels::Levels;
use line::Pairs;
use spans::Spans;

/// The environment variable that names the level.
pub(crate) const VARIABLE: &str = "POLYWIRE_LOG";

/// Logs to stderr from here on, unless the application has set a subscriber of its own.
pub(crate) fn install() {
    let (levels, complaint) = chosen(LevelFilter::INFO);
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let lines = Lines {
        levels,
        color: io::stderr().is_terminal() && !no_color,
        spans: Spans::default(),
        // Nobody to tell if stderr is closed.
        write: |line: &str| drop(io::stderr().write_all(line.as_bytes())),
    };
    let installed = tracing::subscriber::set_global_default(lines).is_ok();
    if let (true, Some(complaint)) = (installed, complaint) {
        let _ = writeln!(io::stderr(), "{complaint}");
    }
}

/// The same log for tests: what their harness captures, warnings and worse unless the variable says otherwise.
pub(crate) fn for_tests() -> tracing::Dispatch {
    tracing::Dispatch::new(Lines {
        levels: chosen(LevelFilter::WARN).0,
        color: false,
        spans: Spans::default(),
        // The harness captures this macro alone.
        write: |line: &str| eprint!("{line}"),
    })
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

/// Events as lines.
struct Lines<W> {
    levels: Levels,
    color: bool,
    spans: Spans,
    write: W,
}

impl<W: Fn(&str) + 'static> Subscriber for Lines<W> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.levels.enable(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.levels.most())
    }

    fn event(&self, event: &Event<'_>) {
        let around = match event.parent() {
            Some(parent) => Some(parent.into_u64()),
            None if event.is_contextual() => self.spans.current().map(|(id, _)| id),
            None => None,
        };
        let mut line = String::with_capacity(256);
        line::start(&mut line, self.color, &self.spans.text(around), event.metadata());
        event.record(&mut Pairs::new(&mut line));
        line.push('\n');
        (self.write)(&line);
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let parent = match span.parent() {
            Some(parent) => Some(parent.into_u64()),
            None if span.is_contextual() => self.spans.current().map(|(id, _)| id),
            None => None,
        };
        let mut pairs = String::new();
        span.record(&mut Pairs::new(&mut pairs));
        self.spans.open(span.metadata(), parent, pairs)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        self.spans.record(span, |pairs| values.record(&mut Pairs::more(pairs)));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, span: &Id) {
        self.spans.enter(span);
    }

    fn exit(&self, span: &Id) {
        self.spans.exit(span);
    }

    fn clone_span(&self, span: &Id) -> Id {
        self.spans.reference(span);
        span.clone()
    }

    fn try_close(&self, span: Id) -> bool {
        self.spans.close(&span)
    }

    fn current_span(&self) -> Current {
        match self.spans.current() {
            Some((id, metadata)) => Current::new(Id::from_u64(id), metadata),
            None => Current::none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// What is logged at info and above.
    fn logged(color: bool, log: impl FnOnce()) -> String {
        let kept = Arc::new(Mutex::new(String::new()));
        let writing = Arc::clone(&kept);
        let lines = Lines {
            levels: Levels::parse("info,quiet=error").unwrap(),
            color,
            spans: Spans::default(),
            write: move |line: &str| writing.lock().unwrap().push_str(line),
        };
        let dispatch = tracing::Dispatch::new(lines);
        tracing::dispatcher::with_default(&dispatch, log);
        kept.lock().unwrap().clone()
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
        assert!(!lines.trim_end_matches('\n').contains(line::is_harmful), "{lines:?}");
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
    fn spans_nest_and_may_be_left_in_any_order() {
        let lines = logged(false, || {
            let outer = tracing::info_span!(target: "a", "outer", user = tracing::field::Empty);
            let inner = outer.in_scope(|| tracing::info_span!(target: "a", "inner"));
            outer.record("user", "ann");
            let first = outer.clone().entered();
            drop(outer);
            let second = inner.entered();
            tracing::info!(target: "a", "both");
            drop(first);
            tracing::info!(target: "a", "still inner, which is in outer");
            tracing::info!(target: "a", parent: None, "none");
            drop(second);
            tracing::info!(target: "a", "none");
        });
        let spans: Vec<_> = lines.lines().map(|line| line.split_once(" INFO ").unwrap().1).collect();
        assert_eq!(
            spans,
            [
                "outer{user=\"ann\"} inner a: both",
                "outer{user=\"ann\"} inner a: still inner, which is in outer",
                "a: none",
                "a: none",
            ]
        );
    }
}
