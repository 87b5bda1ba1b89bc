//! A table for the terminal.

use super::figure;
use crate::bench::run::{Cell, Table};

/// Between columns.
const GAP: &str = "  ";

/// What is drawn has the least and the greatest of its figures and ratios; what isn't, its median alone: lines stay short.
pub(crate) fn print(table: &Table) -> String {
    let mut grid = vec![vec![table.rows_are.clone()]];
    grid.extend(table.rows.iter().map(|row| vec![row.name.clone()]));
    for (at, column) in table.columns.iter().enumerate() {
        let mut add = |heading: String, text: &dyn Fn(&Cell) -> String| {
            grid[0].push(heading);
            for (line, row) in grid[1..].iter_mut().zip(&table.rows) {
                let cell = row.cells.get(at).and_then(Option::as_ref);
                line.push(cell.map_or_else(|| figure::ABSENT.to_owned(), text));
            }
        };
        add(figure::heading(column), &|cell| {
            let median = figure::figure(cell.figure.median, column.digits);
            let range = column
                .drawn
                .then(|| figure::range(&cell.figure, column.digits))
                .flatten();
            range.map_or_else(|| median.clone(), |range| format!("{median} ({range})"))
        });
        if column.drawn && figure::has_ratios(table, at) {
            add("ratio".to_owned(), &|cell| {
                figure::ratio_with_range(cell).unwrap_or_else(|| figure::ABSENT.to_owned())
            });
        }
    }
    let mut lines = vec![format!("{}: {}", table.name, table.title)];
    lines.extend(aligned(&grid));
    if let Some(base) = &table.base {
        lines.push(format!(
            "{GAP}ratios to {base}, round by round; least and greatest in brackets"
        ));
    }
    lines.extend(figure::noise(table).map(|noise| format!("{GAP}{noise}")));
    lines.join("\n") + "\n"
}

/// The first column to the left, figures to the right.
fn aligned(grid: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| grid.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..grid[0].len()).map(width).collect();
    grid.iter()
        .map(|line| {
            let cells = line
                .iter()
                .zip(&widths)
                .enumerate()
                .map(|(at, (text, width))| match at {
                    0 => format!("{GAP}{text:<width$}"),
                    _ => format!("{GAP}{text:>width$}"),
                });
            cells.collect::<String>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::print;
    use crate::bench::report::sample;

    #[test]
    fn a_table_is_aligned() {
        expect![[r#"
            loopback: 64 connections
              server                     CPU, µs             ratio  requests, /s
              hand-hyper     10.50 (10.00–11.00)              1.00        81,500
              polywire-fast     4.25 (4.00–4.50)  0.40 (0.40–0.41)       123,456
              <b>|"&'        15.00 (12.00–18.00)  1.42 (1.20–1.64)             –
              ratios to hand-hyper, round by round; least and greatest in brackets
              rounds differ by more than 15 %: <b>|"&'
        "#]]
        .assert_eq(&print(&sample::loopback()));
        expect![[r#"
            growth: Routes
              routes  polywire, instructions  matchit, instructions
              5                          100                    150
              50                         110                    300
              3,000                      120                      –
        "#]]
        .assert_eq(&print(&sample::growth()));
    }
}
