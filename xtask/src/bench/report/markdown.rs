//! The tables of the README, and the markers between which they stand.

use std::fmt::Write;

use super::figure;
use crate::bench::run::{Column, Run, Table};

const BEGIN: &str = "<!-- bench:begin -->";
const END: &str = "<!-- bench:end -->";

/// The tables of these names, in this order, each run's facts once below its own.
pub(super) fn print(runs: &[Run], names: &[&str]) -> String {
    let mut text = String::new();
    for run in runs {
        let tables: Vec<&Table> = names
            .iter()
            .filter_map(|name| run.tables.iter().find(|table| table.name == *name))
            .collect();
        for table in &tables {
            text += &print_table(table);
        }
        if !tables.is_empty() {
            let facts = escaped(&figure::circumstances(run));
            _ = writeln!(text, "Measured by `{}`: {facts}.\n", run.command.replace('`', "'"));
        }
    }
    text
}

/// Of what is drawn, medians and ratios. The HTML page has the rest.
fn print_table(table: &Table) -> String {
    let mut heading = format!("| {} |", escaped(&table.rows_are));
    let mut rule = "|---|".to_owned();
    for (at, column) in drawn(table) {
        _ = write!(heading, " {} |", escaped(&figure::heading(column)));
        rule += "---:|";
        if figure::has_ratios(table, at) {
            heading += " ratio |";
            rule += "---:|";
        }
    }
    let mut text = format!("**{}.** {}", prose(&table.title), prose(&table.about));
    if let Some(base) = &table.base {
        _ = write!(
            text,
            " Ratios are to {}, with the least and the greatest.",
            escaped(base)
        );
    }
    _ = write!(text, "\n\n{heading}\n{rule}\n");
    for row in &table.rows {
        let name = escaped(&row.name);
        _ = match figure::is_ours(&row.name) {
            true => write!(text, "| **{name}** |"),
            false => write!(text, "| {name} |"),
        };
        for (at, column) in drawn(table) {
            let cell = row.cells.get(at).and_then(Option::as_ref);
            let median = cell.map(|cell| figure::figure(cell.figure.median, column.digits));
            _ = write!(text, " {} |", median.as_deref().unwrap_or(figure::ABSENT));
            if figure::has_ratios(table, at) {
                let ratio = cell.and_then(figure::ratio_with_range);
                _ = write!(text, " {} |", ratio.as_deref().unwrap_or(figure::ABSENT));
            }
        }
        text += "\n";
    }
    if let Some(noise) = figure::noise(table) {
        _ = write!(text, "\nHere {}.\n", escaped(&noise));
    }
    text + "\n"
}

fn drawn(table: &Table) -> impl Iterator<Item = (usize, &Column)> {
    let columns = table.columns.iter().enumerate();
    columns.filter(|(_, column)| column.drawn)
}

/// No character of a name makes a cell, a tag or a marker.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('|', "\\|")
        .replace(['\n', '\r'], " ")
}

/// The same, but what stands between backticks is as it was.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => escaped(part),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// The file with other tables between its markers.
///
/// # Errors
/// It has no pair of markers, or several.
pub(super) fn replaced(file: &str, tables: &str) -> Result<String, String> {
    let [(begin, _)] = file.match_indices(BEGIN).collect::<Vec<_>>()[..] else {
        return Err(marked());
    };
    let [(end, _)] = file.match_indices(END).collect::<Vec<_>>()[..] else {
        return Err(marked());
    };
    let after = begin + BEGIN.len();
    if end < after {
        return Err(marked());
    }
    Ok(format!("{}\n\n{}\n\n{}", &file[..after], tables.trim(), &file[end..]))
}

fn marked() -> String {
    format!("write a line `{BEGIN}` where its tables go, and a line `{END}` below it, each once")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::bench::report::sample;

    #[test]
    fn the_tables_named_are_written() {
        expect![[r#"
            **Routes.** Instructions to find one.

            | routes | polywire, instructions | matchit, instructions |
            |---|---:|---:|
            | 5 | 100 | 150 |
            | 50 | 110 | 300 |
            | 3,000 | 120 | – |

            **64 connections.** Two rounds of `wrk <file>`. Ratios are to hand-hyper, with the least and the greatest.

            | server | CPU, µs | ratio |
            |---|---:|---:|
            | hand-hyper | 10.50 | 1.00 |
            | **polywire-fast** | 4.25 | 0.40 (0.40–0.41) |
            | &lt;b>\|"&amp;' | 15.00 | 1.42 (1.20–1.64) |

            Here rounds differ by more than 15 %: &lt;b>\|"&amp;'.

            Measured by `cargo xtask bench`: 2026-05-09 07:30 UTC, Made-up &lt;2 GHz>, 2 cores, Linux 6.1, rustc 1.95.0, commit 0123456789ab with changes.

        "#]].assert_eq(&print(&[sample::run()], &["growth", "nowhere", "loopback"]));
        assert_eq!(print(&[sample::run()], &[]), "");
    }

    #[test]
    fn what_is_between_the_markers_is_replaced() {
        let file = format!("# A\n\n{BEGIN}\nold\n{END}\n\nB\n");
        let new = replaced(&file, "new\n\n").unwrap();
        assert_eq!(new, format!("# A\n\n{BEGIN}\n\nnew\n\n{END}\n\nB\n"));
        assert_eq!(replaced(&new, "new").unwrap(), new);
        for wrong in [
            String::new(),
            BEGIN.to_owned(),
            END.to_owned(),
            format!("{END}{BEGIN}"),
            format!("{BEGIN}{BEGIN}{END}"),
        ] {
            assert!(replaced(&wrong, "new").is_err(), "{wrong}");
        }
    }
}
