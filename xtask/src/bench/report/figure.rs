//! How figures are written, wherever they are: digits, thousands, ranges, ratios.

use crate::bench::run::{Cell, Column, Run, Spread, Table};

/// Stands where a row takes no part in a column.
pub(super) const ABSENT: &str = "–";

/// "12,345.6" of 12345.64 with one digit.
pub(super) fn figure(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let grouped: Vec<&str> = (0..whole.len())
        .rev()
        .step_by(3)
        .map(|end| &whole[(end + 1).saturating_sub(3)..=end])
        .collect();
    let grouped: Vec<&str> = grouped.into_iter().rev().collect();
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}{fraction}", grouped.join(","))
}

/// "1.00–2.00", the least and the greatest. None: they are written alike.
pub(super) fn range(spread: &Spread, digits: usize) -> Option<String> {
    let (least, greatest) = (figure(spread.least, digits), figure(spread.greatest, digits));
    (least != greatest).then(|| format!("{least}–{greatest}"))
}

/// Two digits, and a third where the first two would say little.
pub(super) fn ratio(cell: &Cell) -> Option<String> {
    let ratio = cell.ratio?;
    Some(figure(ratio.median, ratio_digits(&ratio)))
}

/// The least and the greatest of them, as far as they differ.
pub(super) fn ratio_range(cell: &Cell) -> Option<String> {
    let ratio = cell.ratio?;
    range(&ratio, ratio_digits(&ratio))
}

/// Both: "0.42 (0.40–0.44)".
pub(super) fn ratio_with_range(cell: &Cell) -> Option<String> {
    let median = ratio(cell)?;
    Some(match ratio_range(cell) {
        Some(range) => format!("{median} ({range})"),
        None => median,
    })
}

fn ratio_digits(ratio: &Spread) -> usize {
    if ratio.median < 0.1 && ratio.median > 0.0 { 3 } else { 2 }
}

/// "CPU, µs", "requests/s", or "allocations" where things are counted.
pub(super) fn heading(column: &Column) -> String {
    match column.unit.as_str() {
        "" => column.name.clone(),
        unit if unit.starts_with('/') => format!("{}{unit}", column.name),
        unit => format!("{}, {unit}", column.name),
    }
}

/// Whether any row has a ratio in a column.
pub(super) fn has_ratios(table: &Table, column: usize) -> bool {
    let mut cells = table.rows.iter().filter_map(|row| row.cells.get(column)?.as_ref());
    cells.any(|cell| cell.ratio.is_some())
}

/// Whether a row is ours, and is made to stand out.
pub(super) fn is_ours(name: &str) -> bool {
    name.to_lowercase().starts_with("polywire")
}

/// What is to be said of a table whose rounds tell little.
pub(super) fn noise(table: &Table) -> Option<String> {
    let noisy = table.noisy();
    (!noisy.is_empty()).then(|| format!("rounds differ by more than 15 %: {}", noisy.join(", ")))
}

/// "2026-05-09 07:30 UTC", of what the machine says.
pub(super) fn date(run: &Run) -> String {
    let date = &run.machine.date;
    match (date.get(..10), date.get(11..16), date.ends_with('Z')) {
        (Some(day), Some(time), true) => format!("{day} {time} UTC"),
        _ => date.clone(),
    }
}

/// Where and when, in a line.
pub(super) fn circumstances(run: &Run) -> String {
    let machine = &run.machine;
    format!(
        "{}, {}, {} cores, {}, {}, commit {}",
        date(run),
        machine.processor,
        machine.cores,
        machine.kernel,
        machine.rustc,
        machine.commit
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_grouped() {
        for (value, digits, text) in [
            (0.0, 0, "0"),
            (999.0, 0, "999"),
            (1000.0, 0, "1,000"),
            (999_999.96, 1, "1,000,000.0"),
            (12_345.64, 1, "12,345.6"),
            (-1234.5, 2, "-1,234.50"),
        ] {
            assert_eq!(figure(value, digits), text);
        }
    }

    #[test]
    fn a_range_that_says_nothing_is_left_out() {
        assert_eq!(range(&Spread::of([1.001, 1.002]), 2), None);
        assert_eq!(range(&Spread::of([1.0, 2.0]), 0).as_deref(), Some("1–2"));
        let cell = |samples: &[f64]| Cell {
            figure: Spread::of([1.0]),
            ratio: Some(Spread::of(samples.iter().copied())),
        };
        assert_eq!(
            ratio_with_range(&cell(&[0.4, 0.5, 0.6])).as_deref(),
            Some("0.50 (0.40–0.60)")
        );
        assert_eq!(ratio_with_range(&cell(&[0.0042])).as_deref(), Some("0.004"));
    }
}
