//! The page: every table of every run, its plots beside it, in one file that needs no other.

use std::fmt::{self, Display, Write};

use super::{chart, figure};
use crate::bench::run::{Cell, Column, Row, Run, Table};

const STYLE: &str = include_str!("page.css");

/// Writes it. The newest run is first.
pub(super) fn print(runs: &[Run]) -> String {
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>Polywire, measured</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>Polywire, measured</h1>\n\
         <p>Each figure is the median over the rounds of a run, with the least and the greatest. Ratios are taken round by round, \
         so that a machine that slows down charges everybody: quote these rather than figures. Where rounds differ by more than \
         15 %, the row says so, and tells little.</p>\n"
    );
    page += "<nav aria-label=\"Tables\"><ul>\n";
    for table in runs.iter().flat_map(|run| &run.tables) {
        _ = writeln!(
            page,
            "<li><a href=\"#{}\">{}</a></li>",
            id(&table.name),
            Prose(&table.title)
        );
    }
    page += "</ul></nav></header>\n<main>\n";
    for run in runs {
        page += &print_run(run);
    }
    page + "</main>\n</body>\n</html>\n"
}

fn print_run(run: &Run) -> String {
    let machine = &run.machine;
    let mut text = format!(
        "<section class=\"run\"><h2>Run of {}</h2>\n<dl>\n",
        Escaped(&figure::date(run))
    );
    for (name, fact) in [
        ("command", format!("<code>{}</code>", Escaped(&run.command))),
        (
            "processor",
            format!("{}, {} cores", Escaped(&machine.processor), machine.cores),
        ),
        ("kernel", Escaped(&machine.kernel).to_string()),
        ("compiler", Escaped(&machine.rustc).to_string()),
        ("commit", Escaped(&machine.commit).to_string()),
    ] {
        _ = writeln!(text, "<div><dt>{name}</dt><dd>{fact}</dd></div>");
    }
    text += "</dl>\n";
    if !run.versions.is_empty() {
        let version = |(name, version): &(String, String)| format!("{} {}", Escaped(name), Escaped(version));
        let versions: Vec<String> = run.versions.iter().map(version).collect();
        _ = writeln!(text, "<p class=\"versions\">Beside: {}.</p>", versions.join(", "));
    }
    text += "</section>\n";
    for table in &run.tables {
        text += &print_table(table);
    }
    text
}

fn print_table(table: &Table) -> String {
    let id = id(&table.name);
    let mut text = format!(
        "<section id=\"{id}\"><h2 id=\"{id}-title\">{}</h2>\n<p>{}</p>\n",
        Prose(&table.title),
        Prose(&table.about)
    );
    if let Some(noise) = figure::noise(table) {
        _ = writeln!(text, "<p class=\"noise\">Here {}.</p>", Escaped(&noise));
    }
    let plots = chart::print(table);
    if !plots.is_empty() {
        _ = write!(text, "<div class=\"plots\">\n{plots}</div>\n");
    }
    // Wide ones are scrolled, by the keyboard too.
    _ = write!(
        text,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"{id}-title\" tabindex=\"0\"><table>\n\
         <thead><tr><th scope=\"col\">{}</th>",
        Escaped(&table.rows_are)
    );
    for column in &table.columns {
        _ = write!(text, "<th scope=\"col\">{}</th>", Escaped(&figure::heading(column)));
    }
    text += "</tr></thead>\n<tbody>\n";
    let noisy = table.noisy();
    for row in &table.rows {
        text += &print_row(table, row, noisy.contains(&row.name.as_str()));
    }
    text += "</tbody></table></div>\n";
    if let Some(base) = &table.base {
        _ = writeln!(text, "<p class=\"small\">× is the ratio to {}.</p>", Escaped(base));
    }
    text + "</section>\n"
}

fn print_row(table: &Table, row: &Row, noisy: bool) -> String {
    let class = if figure::is_ours(&row.name) {
        " class=\"ours\""
    } else {
        ""
    };
    let mut text = format!("<tr{class}><th scope=\"row\">{}", Escaped(&row.name));
    if table.base.as_ref() == Some(&row.name) {
        text += " <small>base</small>";
    }
    if noisy {
        text += " <small class=\"noise\">noisy</small>";
    }
    text += "</th>";
    for (at, column) in table.columns.iter().enumerate() {
        text += &match row.cells.get(at).and_then(Option::as_ref) {
            Some(cell) => print_cell(cell, column),
            None => format!("<td><span title=\"takes no part\">{}</span></td>", figure::ABSENT),
        };
    }
    text + "</tr>\n"
}

fn print_cell(cell: &Cell, column: &Column) -> String {
    let mut text = format!("<td>{}", figure::figure(cell.figure.median, column.digits));
    if let Some(range) = figure::range(&cell.figure, column.digits) {
        _ = write!(text, " <small>{range}</small>");
    }
    if let Some(ratio) = figure::ratio_with_range(cell) {
        _ = write!(text, " <small class=\"ratio\">×\u{202f}{ratio}</small>");
    }
    text + "</td>"
}

/// Text that is no markup, in an element or a quoted attribute.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// The same, and what stands between backticks is code.
struct Prose<'a>(&'a str);

impl Display for Prose<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, part) in self.0.split('`').enumerate() {
            match at % 2 {
                0 => write!(f, "{}", Escaped(part))?,
                _ => write!(f, "<code>{}</code>", Escaped(part))?,
            }
        }
        Ok(())
    }
}

/// A table's name as part of an address.
pub(super) fn id(name: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("table-{}", name.chars().map(allowed).collect::<String>())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::bench::report::sample;

    #[test]
    fn a_table_is_written() {
        expect![[r#"
            <section id="table-loopback"><h2 id="table-loopback-title">64 connections</h2>
            <p>Two rounds of <code>wrk &lt;file&gt;</code>.</p>
            <p class="noise">Here rounds differ by more than 15 %: &lt;b&gt;|&quot;&amp;&#39;.</p>
            <div class="plots">
            <figure><figcaption><b>CPU, µs</b> <span>less is better; the upright mark is hand-hyper</span></figcaption>
            <svg class="bars" width="100%" height="108" role="img" aria-labelledby="table-loopback-0"><title id="table-loopback-0">64 connections, CPU: a bar for each server</title>
            <g class="ours"><title>polywire-fast: 4.25 µs, 4.00–4.50, ratio 0.40 (0.40–0.41)</title><text x="0" y="13">polywire-fast</text><text class="value" x="100%" y="13">4.25</text><rect class="track" x="0" y="18" width="100%" height="10"/><rect class="bar" x="0" y="18" width="23.61%" height="10"/><line class="base" x1="58.33%" x2="58.33%" y1="14" y2="32"/><g class="whisker"><line x1="22.22%" x2="25.00%" y1="23" y2="23"/><line x1="22.22%" x2="22.22%" y1="20" y2="26"/><line x1="25.00%" x2="25.00%" y1="20" y2="26"/></g></g>
            <g><title>hand-hyper: 10.50 µs, 10.00–11.00, ratio 1.00</title><text x="0" y="49">hand-hyper</text><text class="value" x="100%" y="49">10.50</text><rect class="track" x="0" y="54" width="100%" height="10"/><rect class="bar" x="0" y="54" width="58.33%" height="10"/><line class="base" x1="58.33%" x2="58.33%" y1="50" y2="68"/><g class="whisker"><line x1="55.56%" x2="61.11%" y1="59" y2="59"/><line x1="55.56%" x2="55.56%" y1="56" y2="62"/><line x1="61.11%" x2="61.11%" y1="56" y2="62"/></g></g>
            <g><title>&lt;b&gt;|&quot;&amp;&#39;: 15.00 µs, 12.00–18.00, ratio 1.42 (1.20–1.64)</title><text x="0" y="85">&lt;b&gt;|&quot;&amp;&#39;</text><text class="value" x="100%" y="85">15.00</text><rect class="track" x="0" y="90" width="100%" height="10"/><rect class="bar" x="0" y="90" width="83.33%" height="10"/><line class="base" x1="58.33%" x2="58.33%" y1="86" y2="104"/><g class="whisker"><line x1="66.67%" x2="100.00%" y1="95" y2="95"/><line x1="66.67%" x2="66.67%" y1="92" y2="98"/><line x1="100.00%" x2="100.00%" y1="92" y2="98"/></g></g>
            </svg></figure>
            </div>
            <div class="scroll" role="region" aria-labelledby="table-loopback-title" tabindex="0"><table>
            <thead><tr><th scope="col">server</th><th scope="col">CPU, µs</th><th scope="col">requests/s</th></tr></thead>
            <tbody>
            <tr><th scope="row">hand-hyper <small>base</small></th><td>10.50 <small>10.00–11.00</small> <small class="ratio">× 1.00</small></td><td>81,500 <small>81,000–82,000</small> <small class="ratio">× 1.00</small></td></tr>
            <tr class="ours"><th scope="row">polywire-fast</th><td>4.25 <small>4.00–4.50</small> <small class="ratio">× 0.40 (0.40–0.41)</small></td><td>123,456 <small class="ratio">× 1.51 (1.51–1.52)</small></td></tr>
            <tr><th scope="row">&lt;b&gt;|&quot;&amp;&#39; <small class="noise">noisy</small></th><td>15.00 <small>12.00–18.00</small> <small class="ratio">× 1.42 (1.20–1.64)</small></td><td><span title="takes no part">–</span></td></tr>
            </tbody></table></div>
            <p class="small">× is the ratio to hand-hyper.</p>
            </section>
        "#]].assert_eq(&print_table(&sample::loopback()));
    }

    #[test]
    fn lines_are_drawn() {
        expect![[r#"
            <figure><figcaption><b>instructions by routes</b> <span class="key"><svg width="28" height="10" aria-hidden="true"><g class="line-ours"><line x1="0" x2="28" y1="5" y2="5"/><circle cx="14" cy="5" r="4"/></g></svg> polywire</span> <span class="key"><svg width="28" height="10" aria-hidden="true"><g class="line-1"><line x1="0" x2="28" y1="5" y2="5"/><circle cx="14" cy="5" r="4"/></g></svg> matchit</span></figcaption>
            <svg class="lines" width="100%" height="240" role="img" aria-labelledby="table-growth-0"><title id="table-growth-0">Routes: how it grows with the number of routes</title>
            <line class="grid" x1="0" x2="100%" y1="212.0" y2="212.0"/><text class="tick" x="0" y="208.0">0</text><line class="grid" x1="0" x2="100%" y1="148.7" y2="148.7"/><text class="tick" x="0" y="144.7">100</text><line class="grid" x1="0" x2="100%" y1="85.3" y2="85.3"/><text class="tick" x="0" y="81.3">200</text><line class="grid" x1="0" x2="100%" y1="22.0" y2="22.0"/><text class="tick" x="0" y="18.0">300</text><text class="size" x="12.00%" y="230">5</text><text class="size" x="41.16%" y="230">50</text><text class="size" x="93.00%" y="230">3,000</text>
            <g class="line-ours"><line x1="12.00%" y1="148.7" x2="41.16%" y2="142.3"/><line x1="41.16%" y1="142.3" x2="93.00%" y2="136.0"/><circle cx="12.00%" cy="148.7" r="4"><title>5 routes, polywire: 100 instructions</title></circle><circle cx="41.16%" cy="142.3" r="4"><title>50 routes, polywire: 110 instructions</title></circle><circle cx="93.00%" cy="136.0" r="4"><title>3,000 routes, polywire: 120 instructions</title></circle></g>
            <g class="line-1"><line x1="12.00%" y1="117.0" x2="41.16%" y2="22.0"/><circle cx="12.00%" cy="117.0" r="4"><title>5 routes, matchit: 150 instructions</title></circle><circle cx="41.16%" cy="22.0" r="4"><title>50 routes, matchit: 300 instructions</title></circle></g></svg></figure>
        "#]].assert_eq(&chart::print(&sample::growth()));
    }

    #[test]
    fn the_page_is_balanced_and_needs_no_other_file() {
        let page = print(&[sample::run(), sample::run()]).replace(STYLE, "");
        assert!(!STYLE.contains('<'));
        assert_balanced(&page);
        let whole = page.clone() + STYLE;
        for outside in ["http:", "https:", "src=", "<link", "@import", "url(", "<script"] {
            assert!(!whole.contains(outside), "{outside}");
        }
        assert!(!page.contains("<b>|"), "names are text");
    }

    /// Every element that begins ends, in order; no `<` is text.
    fn assert_balanced(page: &str) {
        let mut open = Vec::new();
        for tag in page.split('<').skip(1) {
            let (tag, text) = tag.split_once('>').expect("a tag ends");
            assert!(!text.contains('>'), "`>` in {text:?}");
            let name = tag
                .split([' ', '/'])
                .find(|part| !part.is_empty())
                .expect("a tag has a name");
            match name {
                "!DOCTYPE" | "meta" => {}
                _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(name), "{open:?}"),
                _ if tag.ends_with('/') => {}
                _ => open.push(name),
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }
}
