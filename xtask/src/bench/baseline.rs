//! `cargo xtask bench --check`: what is counted, against what was counted before.
//!
//! Nothing here is a time: instructions, allocations and bytes of a request (`pipe.rs`), bytes of a binary (`size.rs`). The
//! baseline is committed, and says why it was changed whenever it was.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::answerer::{Answerer, CASES, transports, workspace};
use super::{pipe, size};

/// How much more a figure may be.
const TOLERANCE: f64 = 0.03;

/// How many instructions the hyper transport may take of what a service written by hand on hyper takes.
const HYPER: f64 = 1.15;

/// What stands in `xtask/bench/baseline.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Baseline {
    figures: Figures,
    /// The last one last.
    history: Vec<Change>,
}

/// Figures by name.
type Figures = BTreeMap<String, f64>;

/// Why figures are others than before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Change {
    reason: String,
    /// Those that changed by more than the tolerance, from what to what.
    changed: Vec<String>,
}

/// Counts and compares; with a reason, what was counted becomes the baseline.
///
/// # Errors
/// A figure is worse, or one of the programs failed.
pub(super) fn check(write: Option<&str>) -> Result<(), String> {
    let path = workspace()?.join("xtask/bench/baseline.json");
    let mut baseline = read(&path)?;
    let (now, by_hand) = count()?;
    let rows = compare(&baseline.figures, &now);
    print!("{}", text(&rows));
    println!("\nhyper takes {by_hand:.3} of the instructions of hand-hyper, at most {HYPER}");
    match write {
        Some(reason) => {
            baseline.take(now, &rows, reason);
            let text = serde_json::to_string_pretty(&baseline).expect("numbers and texts are JSON");
            std::fs::write(&path, text + "\n")
                .map_err(|error| format!("{} can't be written: {error}", path.display()))?;
            println!("this is the baseline now, in {}", path.display());
        }
        None => verdict(&rows)?,
    }
    match by_hand <= HYPER {
        true => Ok(()),
        false => Err(format!(
            "hyper takes {by_hand:.3} of hand-hyper's instructions, at most {HYPER}"
        )),
    }
}

fn read(path: &Path) -> Result<Baseline, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| format!("{} is no baseline: {error}", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Baseline::default()),
        Err(error) => Err(format!("{} can't be read: {error}", path.display())),
    }
}

/// All figures, and what part of hand-hyper's instructions hyper takes.
fn count() -> Result<(Figures, f64), String> {
    let mut figures = Figures::new();
    let null = pipe::null_pipe(&Answerer::peer("null-pipe")?)?;
    for transport in transports()? {
        let answerer = Answerer::ours(&transport)?;
        for case in CASES {
            let cost = pipe::cost(&answerer, &["--case", case], null)?;
            for (what, figure) in [
                ("instructions", cost.instructions),
                (ALLOCATIONS, cost.allocations),
                ("bytes", cost.bytes),
            ] {
                figures.insert(format!("{transport}, {case}: {what}"), figure);
            }
        }
    }
    let by_hand = pipe::cost(&Answerer::peer("hand-hyper")?, &[], null)?;
    let hyper = figures.get("hyper, param: instructions").copied().unwrap_or(0.0);
    for (name, profile) in [
        ("hyper", "release"),
        ("hyper", "small"),
        ("fast beside hyper", "release"),
        ("fast alone", "release"),
        ("fast alone", "small"),
    ] {
        let bytes = size::stripped(&size::helloworld(name, profile)?)?;
        figures.insert(format!("helloworld, {name}, {profile}: stripped"), bytes as f64);
    }
    Ok((figures, hyper / by_hand.instructions))
}

const ALLOCATIONS: &str = "allocations";

/// A figure then and now.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: String,
    was: Option<f64>,
    is: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Kept,
    Better,
    Worse,
    /// It was not counted before.
    New,
    /// It is not counted any more.
    Gone,
}

/// Every figure that either has.
fn compare(was: &Figures, is: &Figures) -> Vec<Row> {
    let mut rows: Vec<Row> = was
        .iter()
        .map(|(name, figure)| Row {
            name: name.clone(),
            was: Some(*figure),
            is: is.get(name).copied(),
        })
        .collect();
    let new = is.iter().filter(|(name, _)| !was.contains_key(*name));
    rows.extend(new.map(|(name, figure)| Row {
        name: name.clone(),
        was: None,
        is: Some(*figure),
    }));
    rows
}

impl Row {
    fn verdict(&self) -> Verdict {
        let (was, is) = match (self.was, self.is) {
            (Some(was), Some(is)) => (was, is),
            (None, _) => return Verdict::New,
            (_, None) => return Verdict::Gone,
        };
        // An allocation more is one that somebody made.
        let most = match self.name.ends_with(ALLOCATIONS) {
            true => was,
            false => was * (1.0 + TOLERANCE),
        };
        if is > most {
            Verdict::Worse
        } else if is < was * (1.0 - TOLERANCE) {
            Verdict::Better
        } else {
            Verdict::Kept
        }
    }
}

/// What stands in the baseline is what is there, or better.
fn verdict(rows: &[Row]) -> Result<(), String> {
    let of = |verdict: Verdict| {
        let rows = rows.iter().filter(|row| row.verdict() == verdict);
        rows.map(|row| row.name.as_str()).collect::<Vec<_>>()
    };
    let better = of(Verdict::Better);
    if !better.is_empty() {
        println!(
            "\nbetter by more than {:.0} %: {}\nkeep it: `cargo xtask bench --check --write REASON`",
            TOLERANCE * 100.0,
            better.join("; ")
        );
    }
    let mut wrong = Vec::new();
    for (what, rows) in [
        ("worse than the baseline", of(Verdict::Worse)),
        ("not in the baseline", of(Verdict::New)),
        ("no longer counted", of(Verdict::Gone)),
    ] {
        if !rows.is_empty() {
            wrong.push(format!("{what}: {}", rows.join("; ")));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{}\nhelp: `cargo xtask profile` says where instructions go; if it has to be so, `cargo xtask bench --check --write REASON`",
            wrong.join("\nerror: ")
        )),
    }
}

impl Baseline {
    fn take(&mut self, now: Figures, rows: &[Row], reason: &str) {
        let changed = rows
            .iter()
            .filter(|row| row.verdict() != Verdict::Kept && row.was.is_some());
        let changed = changed.map(|row| format!("{}: {} to {}", row.name, shown(row.was), shown(row.is)));
        self.history.push(Change {
            reason: reason.to_owned(),
            changed: changed.collect(),
        });
        self.figures = now;
    }
}

fn shown(figure: Option<f64>) -> String {
    figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string())
}

fn text(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}{:>12}{:>12}{:>10}\n", "counted", "baseline", "now", "");
    for row in rows {
        let difference = match row.verdict() {
            Verdict::New => "new".to_owned(),
            Verdict::Gone => "gone".to_owned(),
            verdict => {
                let (was, is) = (row.was.unwrap_or(0.0), row.is.unwrap_or(0.0));
                let difference = match was {
                    0.0 if is == 0.0 => "0.0 %".to_owned(),
                    0.0 => "more".to_owned(),
                    _ => format!("{:+.1} %", (is / was - 1.0) * 100.0),
                };
                match verdict {
                    Verdict::Worse => format!("{difference}  WORSE"),
                    Verdict::Better => format!("{difference}  better"),
                    _ => difference,
                }
            }
        };
        text += &format!(
            "{:width$}{:>12}{:>12}{:>10}\n",
            row.name,
            shown(row.was),
            shown(row.is),
            difference
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(figures: &[(&str, f64)]) -> Figures {
        figures
            .iter()
            .map(|(name, figure)| ((*name).to_owned(), *figure))
            .collect()
    }

    #[test]
    fn three_per_cent_more_is_worse_and_any_allocation_is() {
        let was = figures(&[
            ("a: instructions", 1000.0),
            ("b: instructions", 1000.0),
            ("c: instructions", 1000.0),
            ("d: allocations", 0.0),
            ("e: allocations", 4.0),
            ("f: bytes", 0.0),
            ("g: bytes", 10.0),
        ]);
        let is = figures(&[
            ("a: instructions", 1030.0),
            ("b: instructions", 1031.0),
            ("c: instructions", 960.0),
            ("d: allocations", 0.01),
            ("e: allocations", 3.0),
            ("f: bytes", 1.0),
            ("h: bytes", 1.0),
        ]);
        let rows = compare(&was, &is);
        let verdicts: Vec<_> = rows.iter().map(|row| (&row.name[..1], row.verdict())).collect();
        assert_eq!(
            verdicts,
            [
                ("a", Verdict::Kept),
                ("b", Verdict::Worse),
                ("c", Verdict::Better),
                ("d", Verdict::Worse),
                ("e", Verdict::Better),
                ("f", Verdict::Worse),
                ("g", Verdict::Gone),
                ("h", Verdict::New),
            ]
        );
        let wrong = verdict(&rows).unwrap_err();
        assert!(
            wrong.starts_with("worse than the baseline: b: instructions; d: allocations; f: bytes\n"),
            "{wrong}"
        );
        assert!(
            wrong.contains("\nerror: not in the baseline: h: bytes\nerror: no longer counted: g: bytes\n"),
            "{wrong}"
        );
        assert_eq!(verdict(&rows[..1]), Ok(()));
    }

    #[test]
    fn a_change_of_the_baseline_says_why_and_what() {
        let mut baseline = Baseline {
            figures: figures(&[("a: bytes", 100.0), ("b: bytes", 100.0)]),
            history: Vec::new(),
        };
        let now = figures(&[("a: bytes", 101.0), ("b: bytes", 50.0), ("c: bytes", 1.0)]);
        let rows = compare(&baseline.figures, &now);
        baseline.take(now.clone(), &rows, "half of it was never read");
        assert_eq!(baseline.figures, now);
        assert_eq!(baseline.history[0].reason, "half of it was never read");
        assert_eq!(baseline.history[0].changed, ["b: bytes: 100 to 50"]);
    }

    #[test]
    fn the_committed_baseline_is_one_and_has_reasons() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench/baseline.json");
        let baseline = read(&path).unwrap();
        assert!(!baseline.figures.is_empty(), "{} is not there", path.display());
        assert!(baseline.history.iter().all(|change| !change.reason.trim().is_empty()));
    }
}
