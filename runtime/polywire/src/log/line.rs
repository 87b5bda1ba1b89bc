//! One event as one line, whatever is in it: control characters are escaped, so that a client can't forge a line or
//! drive a terminal.

use std::fmt::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tracing::field::{Field, Visit};
use tracing::{Level, Metadata};

/// Time, level, spans from the outside in, target; the message and values follow.
pub(super) fn start(out: &mut String, color: bool, spans: &str, metadata: &Metadata<'_>) {
    time(out, SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let level = *metadata.level();
    let (before, after) = match level {
        Level::ERROR if color => ("\x1b[31m", "\x1b[0m"),
        Level::WARN if color => ("\x1b[33m", "\x1b[0m"),
        Level::INFO if color => ("\x1b[32m", "\x1b[0m"),
        _ => ("", ""),
    };
    // Writing to a string can't fail, here and below.
    let _ = write!(out, " {before}{level:>5}{after} {spans}{}: ", metadata.target());
}

/// RFC 3339, in UTC, to the microsecond.
fn time(out: &mut String, since_epoch: Duration) {
    let (days, second) = (since_epoch.as_secs() / 86_400, since_epoch.as_secs() % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second, micros) = (
        second / 3600,
        second / 60 % 60,
        second % 60,
        since_epoch.subsec_micros(),
    );
    let _ = write!(
        out,
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"
    );
}

/// The Gregorian date of a day since 1970. Years are counted from March, so that the leap day is the last.
fn date(days: u64) -> (u64, u64, u64) {
    // From 0000-03-01; 400 years have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

/// Writes the message and `name=value` pairs, escaped, with a space between two.
pub(super) struct Pairs<'a> {
    out: &'a mut String,
    first: bool,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(out: &'a mut String) -> Self {
        Self { out, first: true }
    }

    /// More pairs after some.
    pub(super) fn more(out: &'a mut String) -> Self {
        let first = out.is_empty();
        Self { out, first }
    }
}

impl Visit for Pairs<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if !std::mem::take(&mut self.first) {
            self.out.push(' ');
        }
        if field.name() != "message" {
            self.out.push_str(field.name());
            self.out.push('=');
        }
        let _ = write!(Escaped(self.out), "{value:?}");
    }
}

/// Control characters, line separators and marks that reorder text become their escapes.
struct Escaped<'a>(&'a mut String);

impl Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match is_harmful(c) {
                true => self.0.extend(c.escape_default()),
                false => self.0.push(c),
            }
        }
        Ok(())
    }
}

pub(super) fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339() {
        for (seconds, micros, expected) in [
            (0, 0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399, 999_999, "2000-02-28T23:59:59.999999Z"),
            (951_782_400, 1, "2000-02-29T00:00:00.000001Z"),
            (951_868_800, 0, "2000-03-01T00:00:00.000000Z"),
            (1_798_761_599, 0, "2026-12-31T23:59:59.000000Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000000Z"),
        ] {
            let mut out = String::new();
            time(&mut out, Duration::new(seconds, micros * 1000));
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn every_day_follows_the_one_before() {
        let mut last = date(0);
        for days in 1..200_000 {
            let next = date(days);
            let expected = match next {
                (year, 1, 1) => (last == (year - 1, 12, 31)).then_some(next),
                (year, month, 1) => (last.0 == year && last.1 == month - 1 && last.2 >= 28).then_some(next),
                (year, month, day) => (last == (year, month, day - 1)).then_some(next),
            };
            assert_eq!(expected, Some(next), "after {last:?}");
            last = next;
        }
    }
}
