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
        let median = |cell: &Cell| Some(figure::figure(cell.figure.median, column.digits));
        let range = |cell: &Cell| figure::range(&cell.figure, column.digits);
        add(&mut grid, table, at, (&figure::heading(column), figure::ABSENT), median);
        if column.drawn {
            add(&mut grid, table, at, ("", ""), range);
            add(&mut grid, table, at, ("ratio", figure::ABSENT), figure::ratio);
            add(&mut grid, table, at, ("", ""), figure::ratio_range);
        }
    }
    let mut lines = vec![format!("{}: {}", table.name, table.title.replace('`', ""))];
    lines.extend(aligned(&grid));
    if let Some(base) = &table.base {
        lines.push(format!("{GAP}ratios to {base}, round by round"));
    }
    lines.extend(figure::noise(table).map(|noise| format!("{GAP}{noise}")));
    lines.join("\n") + "\n"
}

/// A column of the grid, unless no row has anything there. Its heading, and what stands where a row has nothing.
fn add(
    grid: &mut [Vec<String>],
    table: &Table,
    at: usize,
    (heading, absent): (&str, &str),
    text: impl Fn(&Cell) -> Option<String>,
) {
    let cells = table.rows.iter().map(|row| row.cells.get(at)?.as_ref());
    let texts: Vec<Option<String>> = cells.map(|cell| cell.and_then(&text)).collect();
    if texts.iter().any(Option::is_some) {
        grid[0].push(heading.to_owned());
        for (line, text) in grid[1..].iter_mut().zip(texts) {
            line.push(text.unwrap_or_else(|| absent.to_owned()));
        }
    }
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
            cells.collect::<String>().trim_end().to_owned()
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
              server         CPU, µs               ratio             requests/s
              hand-hyper       10.50  10.00–11.00   1.00                 81,500
              polywire-fast     4.25    4.00–4.50   0.40  0.40–0.41     123,456
              <b>|"&'          15.00  12.00–18.00   1.42  1.20–1.64           –
              ratios to hand-hyper, round by round
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
