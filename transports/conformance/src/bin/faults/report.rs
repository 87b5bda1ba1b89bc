//! What was measured, what it may be, and whether it is: rows of a table.

use std::fmt::Display;
use std::time::Duration;

/// One figure.
pub(crate) struct Row {
    what: String,
    measured: String,
    bound: String,
    /// `None`: it is for the reader, and nothing is asked of it.
    kept: Option<bool>,
}

impl Row {
    /// A figure that nothing is asked of.
    pub(crate) fn told(what: impl Into<String>, measured: impl Display) -> Self {
        Self {
            what: what.into(),
            measured: measured.to_string(),
            bound: String::new(),
            kept: None,
        }
    }

    /// A figure and its bound, in words, and whether it was kept.
    pub(crate) fn judged(what: impl Into<String>, measured: impl Display, bound: impl Display, kept: bool) -> Self {
        Self {
            what: what.into(),
            measured: measured.to_string(),
            bound: bound.to_string(),
            kept: Some(kept),
        }
    }

    /// A time that may be this long.
    pub(crate) fn within(what: impl Into<String>, measured: Duration, bound: Duration) -> Self {
        Self::judged(
            what,
            duration(measured),
            format!("at most {}", duration(bound)),
            measured <= bound,
        )
    }

    /// A time that something happened in, or did not.
    pub(crate) fn happened(what: impl Into<String>, after: Option<Duration>, bound: Duration) -> Self {
        match after {
            Some(after) => Self::within(what, after, bound),
            None => Self::judged(what, "never", format!("at most {}", duration(bound)), false),
        }
    }

    /// Things that must not be, with the first of them shown.
    pub(crate) fn none(what: impl Into<String>, wrong: &[impl Display]) -> Self {
        let measured = match wrong {
            [] => "0".to_owned(),
            [first, ..] => format!("{}: {first}", wrong.len()),
        };
        Self::judged(what, measured, "0", wrong.is_empty())
    }
}

/// The rows of a run, counted as they are printed.
#[derive(Default)]
pub(crate) struct Tally {
    kept: usize,
    missed: Vec<String>,
    /// What is printed at the moment.
    title: String,
}

impl Tally {
    /// The heading of what comes next.
    pub(crate) fn title(&mut self, server: &str, fault: &str, about: &str) {
        self.title = format!("{server}, {fault}");
        println!("\n{}: {about}", self.title);
    }

    /// Prints what a fault gave.
    pub(crate) fn print(&mut self, rows: Result<Vec<Row>, String>) {
        let rows = rows.unwrap_or_else(|why| vec![Row::judged("the run", why, "can be done", false)]);
        for row in rows {
            let verdict = match row.kept {
                Some(true) => "kept",
                Some(false) => "MISSED",
                None => "",
            };
            let line = format!("  {:44} {:44} {:24} {verdict}", row.what, row.measured, row.bound);
            println!("{}", line.trim_end());
            match row.kept {
                Some(true) => self.kept += 1,
                Some(false) => self.missed.push(format!("{}: {}", self.title, row.what)),
                None => {}
            }
        }
    }

    /// Prints the sum; whether every bound was kept.
    pub(crate) fn print_total(&self) -> bool {
        println!("\n{} bounds kept, {} missed", self.kept, self.missed.len());
        for missed in &self.missed {
            println!("MISSED: {missed}");
        }
        self.missed.is_empty()
    }
}

/// A time in the unit that suits it.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..0.1 => format!("{:.2} ms", seconds * 1e3),
        ..1.0 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.1} s"),
    }
}

/// Bytes in KiB or MiB.
pub(crate) fn bytes(count: u64) -> String {
    let kib = count as f64 / 1024.0;
    if kib < 1024.0 {
        format!("{kib:.1} KiB")
    } else {
        format!("{:.1} MiB", kib / 1024.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_their_units() {
        for (time, text) in [
            (Duration::from_micros(1234), "1.23 ms"),
            (Duration::from_millis(512), "512 ms"),
            (Duration::from_millis(12_340), "12.3 s"),
        ] {
            assert_eq!(duration(time), text);
        }
        assert_eq!(
            (bytes(512), bytes(3 << 19)),
            ("0.5 KiB".to_owned(), "1.5 MiB".to_owned())
        );
    }

    #[test]
    fn a_miss_is_counted() {
        let mut tally = Tally::default();
        tally.print(Ok(vec![Row::told("a", 1), Row::none("b", &[] as &[String])]));
        assert!(tally.print_total());
        tally.print(Ok(vec![Row::happened("c", None, Duration::ZERO)]));
        tally.print(Err("no server".to_owned()));
        assert_eq!((tally.kept, tally.missed.len()), (1, 2));
        assert!(!tally.print_total());
    }
}
