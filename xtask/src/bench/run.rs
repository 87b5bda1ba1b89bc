//! What a run has measured, as it is kept in a file and shown.

use serde::{Deserialize, Serialize};

/// A run: where, what, and the tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) machine: Machine,
    /// The command that shows the same.
    pub(crate) command: String,
    /// What was measured, and its version.
    pub(crate) versions: Vec<(String, String)>,
    pub(crate) tables: Vec<Table>,
}

/// Where a run took place, and when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Machine {
    /// Day and time, UTC.
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    /// Its name and version, without what whoever built it has added.
    pub(crate) kernel: String,
    pub(crate) rustc: String,
    /// The commit that was measured, and whether files had changes.
    pub(crate) commit: String,
}

/// Things of one kind, and what was measured of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    /// A word: what `--only` takes.
    pub(crate) name: String,
    pub(crate) title: String,
    /// How it was measured, in a sentence or two.
    pub(crate) about: String,
    /// What a row is: "server".
    pub(crate) rows_are: String,
    /// The row that the others are divided by.
    pub(crate) base: Option<String>,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// "µs", "kB", or nothing for a number of things.
    pub(crate) unit: String,
    pub(crate) better: Better,
    /// Whether it says what the table is about, and is drawn.
    pub(crate) drawn: bool,
    /// Digits behind the point.
    pub(crate) digits: usize,
}

/// Which figures are the good ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Better {
    Less,
    More,
}

/// What was measured of one thing, a cell for each column. None: it does not take part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) cells: Vec<Option<Cell>>,
}

/// A figure over the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub(crate) figure: Spread,
    /// By the base's figure of the same round. None: there is no base, or it has none of it.
    pub(crate) ratio: Option<Spread>,
}

/// The middle of what the rounds gave, the least and the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

/// Rounds that differ by more than this part of their median say little.
const NOISY: f64 = 0.15;

impl Spread {
    /// Of at least one sample.
    ///
    /// # Panics
    /// There is none, or one is no number.
    pub(crate) fn of(samples: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = samples.into_iter().map(rounded).collect();
        assert!(!sorted.is_empty() && sorted.iter().all(|sample| !sample.is_nan()));
        sorted.sort_by(f64::total_cmp);
        let (below, above) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Self {
            median: rounded((below + above) / 2.0),
            least: sorted[0],
            greatest: sorted[sorted.len() - 1],
        }
    }

    /// Whether the rounds differ too much to tell.
    pub(crate) fn is_noisy(&self) -> bool {
        self.greatest - self.least > NOISY * self.median.abs()
    }
}

impl Table {
    /// Puts figures in: `samples[row][column]` are those of the rounds, in their order.
    ///
    /// # Panics
    /// The shapes don't fit.
    pub(crate) fn fill(&mut self, names: &[&str], samples: &[Vec<Option<Vec<f64>>>]) {
        let base = self
            .base
            .as_ref()
            .and_then(|base| names.iter().position(|name| name == base));
        self.rows = names
            .iter()
            .zip(samples)
            .map(|(name, columns)| Row {
                name: (*name).to_owned(),
                cells: columns
                    .iter()
                    .enumerate()
                    .map(|(at, rounds)| {
                        let rounds = rounds.as_ref()?;
                        let by = base.and_then(|base| samples[base][at].as_ref());
                        Some(Cell {
                            figure: Spread::of(rounds.iter().copied()),
                            ratio: by.and_then(|by| ratio(rounds, by)),
                        })
                    })
                    .collect(),
            })
            .collect();
    }

    /// The rows whose rounds differ too much, of what is drawn. Of ratios where there are some: a slow machine is slow for all.
    pub(crate) fn noisy(&self) -> Vec<&str> {
        let drawn = |row: &Row| {
            let cells = self.columns.iter().zip(&row.cells).filter(|(column, _)| column.drawn);
            cells
                .filter_map(|(_, cell)| cell.as_ref())
                .any(|cell| cell.ratio.unwrap_or(cell.figure).is_noisy())
        };
        let rows = self.rows.iter().filter(|row| drawn(row));
        rows.map(|row| row.name.as_str()).collect()
    }
}

/// Round by round: a machine that slows down charges everybody. Nothing divided by nothing is one; something, by nothing, no ratio.
fn ratio(rounds: &[f64], by: &[f64]) -> Option<Spread> {
    assert_eq!(rounds.len(), by.len(), "all take part in every round");
    let ratios = rounds.iter().zip(by).map(|(figure, by)| match *by {
        0.0 if *figure == 0.0 => Some(1.0),
        0.0 => None,
        by => Some(figure / by),
    });
    ratios.collect::<Option<Vec<f64>>>().map(Spread::of)
}

/// To nine digits: what is read from JSON is what was written, and a result doesn't change by being kept.
fn rounded(figure: f64) -> f64 {
    format!("{figure:.8e}")
        .parse()
        .expect("a number is read as it is written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_the_ratios_is_not_the_ratio_of_the_medians() {
        let mut table = Table {
            name: "single".to_owned(),
            title: String::new(),
            about: String::new(),
            rows_are: "server".to_owned(),
            base: Some("base".to_owned()),
            columns: vec![Column {
                name: "CPU".to_owned(),
                unit: "µs".to_owned(),
                better: Better::Less,
                drawn: true,
                digits: 2,
            }],
            rows: Vec::new(),
        };
        let samples = [
            vec![Some(vec![10.0, 20.0, 40.0])],
            vec![Some(vec![5.0, 10.0, 20.0])],
            vec![None],
        ];
        table.fill(&["base", "half", "absent"], &samples);
        let half = table.rows[1].cells[0].unwrap();
        assert_eq!(
            (half.figure.median, half.figure.least, half.figure.greatest),
            (10.0, 5.0, 20.0)
        );
        assert_eq!(half.ratio, Some(Spread::of([0.5])));
        assert_eq!(table.rows[2].cells, [None]);
        assert!(table.noisy().is_empty(), "the machine slowed down, for all of them");
        table.base = None;
        table.fill(&["base", "half", "absent"], &samples);
        assert_eq!(table.noisy(), ["base", "half"]);
    }

    #[test]
    fn a_figure_is_kept_as_it_is() {
        for figure in [2.0 / 3.0, 1e9 / 7.0, 0.1 + 0.2, 1.0 / 30_000.0] {
            let spread = Spread::of([figure, figure / 3.0]);
            let json = serde_json::to_string(&spread).unwrap();
            assert_eq!(serde_json::from_str::<Spread>(&json).unwrap(), spread, "{json}");
        }
    }

    #[test]
    fn nothing_by_nothing_is_as_good() {
        assert_eq!(ratio(&[0.0, 1.0], &[0.0, 2.0]), Some(Spread::of([1.0, 0.5])));
        assert_eq!(ratio(&[1.0], &[0.0]), None);
        assert_eq!(Spread::of([1.0, 2.0]).median, 1.5);
        assert!(Spread::of([1.0, 1.2]).is_noisy() && !Spread::of([1.0, 1.1]).is_noisy());
    }
}
