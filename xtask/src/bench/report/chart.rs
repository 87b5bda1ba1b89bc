//! Plots, as SVG inside the page: bars for things of a kind, lines where rows are sizes.
//!
//! Across is in percent and down in pixels, so that a plot takes the room there is and its text keeps its size. Colours are
//! classes of `page.css`: one plot serves light and dark.

use std::fmt::Write;

use super::figure;
use super::html::{Escaped, id};
use crate::bench::run::{Better, Cell, Column, Table};

/// Of a bar: its name and figure stand above it.
const BAR_PITCH: usize = 36;
const BAR_TOP: usize = 18;
const BAR_HEIGHT: usize = 10;
/// How much longer than a bar the mark of the base is, on either side.
const MARK: usize = 4;
/// Of names, before they are cut short; the table has them whole.
const NAME: usize = 48;

/// Of lines: where the plot begins and ends, in percent and pixels. Outside is room for what is written.
const LEFT: f64 = 12.0;
const RIGHT: f64 = 93.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 212.0;
const LINES_HEIGHT: usize = 240;
/// So many steps of an axis, about.
const STEPS: f64 = 4.0;
/// Classes of lines that aren't ours; more than these share the last.
const LINES: usize = 4;

/// Every plot of a table, each a `<figure>`.
pub(super) fn print(table: &Table) -> String {
    let drawn = |at: &usize| table.columns[*at].drawn && !cells(table, *at).is_empty();
    let drawn: Vec<usize> = (0..table.columns.len()).filter(drawn).collect();
    let Some(sizes) = sizes(table) else {
        return drawn.iter().map(|at| bars(table, *at)).collect();
    };
    let unit = |at: &usize| &table.columns[*at].unit;
    drawn
        .chunk_by(|one, next| unit(one) == unit(next))
        .map(|columns| lines(table, &sizes, columns))
        .collect()
}

/// The rows' names as numbers, where all are, and there is something between the first and the last.
fn sizes(table: &Table) -> Option<Vec<f64>> {
    let number = |name: &str| name.replace([',', ' '], "").parse().ok().filter(|size| *size > 0.0);
    let sizes: Vec<f64> = table.rows.iter().map(|row| number(&row.name)).collect::<Option<_>>()?;
    (sizes.len() > 2 && sizes.is_sorted_by(|one, next| one < next)).then_some(sizes)
}

/// Which rows take part in a column, and with what.
fn cells(table: &Table, column: usize) -> Vec<(usize, &Cell)> {
    let rows = table.rows.iter().enumerate();
    rows.filter_map(|(at, row)| Some((at, row.cells.get(column)?.as_ref()?)))
        .collect()
}

/// A bar for each row, the best first, from nothing: bars that begin elsewhere mislead.
fn bars(table: &Table, at: usize) -> String {
    let column = &table.columns[at];
    let mut cells = cells(table, at);
    cells.sort_by(|(_, one), (_, other)| {
        let order = one.figure.median.total_cmp(&other.figure.median);
        match column.better {
            Better::Less => order,
            Better::More => order.reverse(),
        }
    });
    let greatest = cells.iter().map(|(_, cell)| cell.figure.greatest).fold(0.0, f64::max);
    let percent = |value: f64| {
        if greatest > 0.0 {
            100.0 * value.max(0.0) / greatest
        } else {
            0.0
        }
    };
    let base = cells
        .iter()
        .find(|(row, _)| table.base.as_ref() == Some(&table.rows[*row].name))
        .map(|(_, cell)| percent(cell.figure.median));

    let mut svg = String::new();
    for (place, (row, cell)) in cells.iter().enumerate() {
        let name = &table.rows[*row].name;
        let (top, middle) = (place * BAR_PITCH, place * BAR_PITCH + BAR_TOP + BAR_HEIGHT / 2);
        let (bar, text) = (top + BAR_TOP, top + BAR_TOP - 5);
        let class = if figure::is_ours(name) { " class=\"ours\"" } else { "" };
        let (least, greatest) = (percent(cell.figure.least), percent(cell.figure.greatest));
        _ = write!(
            svg,
            "<g{class}><title>{}</title>\
             <text x=\"0\" y=\"{text}\">{}</text><text class=\"value\" x=\"100%\" y=\"{text}\">{}</text>\
             <rect class=\"track\" x=\"0\" y=\"{bar}\" width=\"100%\" height=\"{BAR_HEIGHT}\"/>\
             <rect class=\"bar\" x=\"0\" y=\"{bar}\" width=\"{:.2}%\" height=\"{BAR_HEIGHT}\"/>",
            Escaped(&told(name, column, cell)),
            Escaped(&shortened(name)),
            figure::figure(cell.figure.median, column.digits),
            percent(cell.figure.median),
        );
        if let Some(base) = base {
            let (from, to) = (bar - MARK, bar + BAR_HEIGHT + MARK);
            _ = write!(
                svg,
                "<line class=\"base\" x1=\"{base:.2}%\" x2=\"{base:.2}%\" y1=\"{from}\" y2=\"{to}\"/>"
            );
        }
        if figure::range(&cell.figure, column.digits).is_some() {
            _ = write!(svg, "<g class=\"whisker\">");
            _ = write!(
                svg,
                "<line x1=\"{least:.2}%\" x2=\"{greatest:.2}%\" y1=\"{middle}\" y2=\"{middle}\"/>"
            );
            for end in [least, greatest] {
                let (from, to) = (bar + 2, bar + BAR_HEIGHT - 2);
                _ = write!(
                    svg,
                    "<line x1=\"{end:.2}%\" x2=\"{end:.2}%\" y1=\"{from}\" y2=\"{to}\"/>"
                );
            }
            svg += "</g>";
        }
        svg += "</g>\n";
    }
    let better = match column.better {
        Better::Less => "less is better",
        Better::More => "more is better",
    };
    let mark = match (&table.base, base) {
        (Some(name), Some(_)) => format!("; the upright mark is {name}"),
        _ => String::new(),
    };
    let caption = format!(
        "<b>{}</b> <span>{better}{}</span>",
        Escaped(&figure::heading(column)),
        Escaped(&mark)
    );
    let label = format!("{}, {}: a bar for each {}", table.title, column.name, table.rows_are);
    drawing(
        &format!("{}-{at}", id(&table.name)),
        &caption,
        &label,
        "bars",
        cells.len() * BAR_PITCH,
        &svg,
    )
}

/// A line for each column. Sizes grow by multiples, so across is their logarithm.
fn lines(table: &Table, sizes: &[f64], columns: &[usize]) -> String {
    let across = {
        let (first, last) = (sizes[0].ln(), sizes[sizes.len() - 1].ln());
        move |size: f64| LEFT + (RIGHT - LEFT) * (size.ln() - first) / (last - first)
    };
    let greatest = columns
        .iter()
        .flat_map(|at| cells(table, *at))
        .map(|(_, cell)| cell.figure.median)
        .fold(0.0, f64::max);
    let step = step(greatest);
    let ceiling = step * (greatest / step).ceil().max(1.0);
    let down = |value: f64| BOTTOM - (BOTTOM - TOP) * value / ceiling;

    let mut svg = String::new();
    let mut tick = 0.0;
    while tick <= ceiling + step / 2.0 {
        let digits = if step < 1.0 {
            table.columns[columns[0]].digits
        } else {
            0
        };
        let y = down(tick);
        _ = write!(
            svg,
            "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"{y:.1}\" y2=\"{y:.1}\"/><text class=\"tick\" x=\"0\" y=\"{:.1}\">{}</text>",
            y - 4.0,
            figure::figure(tick, digits)
        );
        tick += step;
    }
    for (row, size) in table.rows.iter().zip(sizes) {
        let (x, y) = (across(*size), BOTTOM + 18.0);
        _ = write!(
            svg,
            "<text class=\"size\" x=\"{x:.2}%\" y=\"{y}\">{}</text>",
            Escaped(&row.name)
        );
    }
    let mut caption = String::new();
    let mut others = 0;
    for at in columns {
        let column = &table.columns[*at];
        let class = if figure::is_ours(&column.name) {
            "line-ours".to_owned()
        } else {
            others += 1;
            format!("line-{}", others.min(LINES))
        };
        let points: Vec<(f64, f64, usize, &Cell)> = cells(table, *at)
            .into_iter()
            .map(|(row, cell)| (across(sizes[row]), down(cell.figure.median), row, cell))
            .collect();
        _ = write!(svg, "\n<g class=\"{class}\">");
        for pair in points.windows(2) {
            let ((x1, y1, ..), (x2, y2, ..)) = (pair[0], pair[1]);
            _ = write!(
                svg,
                "<line x1=\"{x1:.2}%\" y1=\"{y1:.1}\" x2=\"{x2:.2}%\" y2=\"{y2:.1}\"/>"
            );
        }
        for (x, y, row, cell) in points {
            let size = format!("{} {}", table.rows[row].name, table.rows_are);
            let told = told(&format!("{size}, {}", column.name), column, cell);
            _ = write!(
                svg,
                "<circle cx=\"{x:.2}%\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>",
                Escaped(&told)
            );
        }
        svg += "</g>";
        _ = write!(
            caption,
            "<span class=\"key\"><svg width=\"28\" height=\"10\" aria-hidden=\"true\"><g class=\"{class}\">\
             <line x1=\"0\" x2=\"28\" y1=\"5\" y2=\"5\"/><circle cx=\"14\" cy=\"5\" r=\"4\"/></g></svg> {}</span> ",
            Escaped(&column.name)
        );
    }
    let unit = &table.columns[columns[0]].unit;
    let caption = format!(
        "<b>{} by {}</b> {}",
        Escaped(unit),
        Escaped(&table.rows_are),
        caption.trim_end()
    );
    let label = format!("{}: how it grows with the number of {}", table.title, table.rows_are);
    drawing(
        &format!("{}-{}", id(&table.name), columns[0]),
        &caption,
        &label,
        "lines",
        LINES_HEIGHT,
        &svg,
    )
}

/// The next of 1, 2, 5, 10, .. that makes few steps.
fn step(greatest: f64) -> f64 {
    if greatest <= 0.0 {
        return 1.0;
    }
    let rough = greatest / STEPS;
    let power = 10f64.powf(rough.log10().floor());
    let of_ten = [1.0, 2.0, 5.0, 10.0];
    power * of_ten.into_iter().find(|step| *step >= rough / power).unwrap_or(10.0)
}

/// What a pointer on it is told.
fn told(name: &str, column: &Column, cell: &Cell) -> String {
    let median = figure::figure(cell.figure.median, column.digits);
    let mut told = format!("{name}: {median} {}", column.unit).trim_end().to_owned();
    if let Some(range) = figure::range(&cell.figure, column.digits) {
        _ = write!(told, ", {range}");
    }
    if let Some(ratio) = figure::ratio_with_range(cell) {
        _ = write!(told, ", ratio {ratio}");
    }
    told
}

fn shortened(name: &str) -> String {
    match name.char_indices().nth(NAME) {
        Some((end, _)) => format!("{}…", name[..end].trim_end()),
        None => name.to_owned(),
    }
}

fn drawing(id: &str, caption: &str, label: &str, class: &str, height: usize, svg: &str) -> String {
    format!(
        "<figure><figcaption>{caption}</figcaption>\n\
         <svg class=\"{class}\" width=\"100%\" height=\"{height}\" role=\"img\" aria-labelledby=\"{id}\">\
         <title id=\"{id}\">{}</title>\n{svg}</svg></figure>\n",
        Escaped(&label.replace('`', ""))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::sample;

    #[test]
    fn steps_are_round_and_few() {
        for (greatest, expected) in [
            (0.0, 1.0),
            (0.7, 0.2),
            (4.0, 1.0),
            (45.0, 20.0),
            (300.0, 100.0),
            (2300.0, 1000.0),
        ] {
            assert!(
                (step(greatest) - expected).abs() < 1e-9,
                "{greatest}: {}",
                step(greatest)
            );
        }
    }

    #[test]
    fn rows_are_sizes_where_all_are_numbers_that_grow() {
        let mut growth = sample::growth();
        assert_eq!(sizes(&growth), Some(vec![5.0, 50.0, 3000.0]));
        assert_eq!(sizes(&sample::loopback()), None);
        growth.rows.swap(0, 1);
        assert_eq!(sizes(&growth), None);
        growth.rows.truncate(2);
        assert_eq!(sizes(&growth), None);
    }

    #[test]
    fn nothing_but_nothing_has_bars_without_length() {
        let mut table = sample::loopback();
        table.fill(&["one"], &[vec![Some(vec![0.0]), None]]);
        assert!(print(&table).contains("class=\"bar\" x=\"0\" y=\"18\" width=\"0.00%\""));
    }
}
