//! What a run leaves behind: text on the terminal, JSON, a page, and the README's tables.
//!
//! `latest.json` is a list of runs, newest first. A run that takes a table's place takes it out of the older ones, and one that
//! has no table left is dropped: after `--only` each table still says when, where and on which commit it was measured. Beside
//! it, each run alone is kept under its date.
//!
//! A run with `--quick` or `--servers` is a trial: it has a file and a page of its own, and touches nothing else. The README is
//! written by whole runs into the usual folder.

mod chart;
mod figure;
mod html;
mod markdown;
#[cfg(test)]
mod sample;
mod text;

use std::path::{Path, PathBuf};

use super::Options;
use super::run::Run;

pub(super) use self::text::print;

const FOLDER: &str = "xtask/bench/results";
const LATEST: &str = "latest";
const TRIAL: &str = "trial";

/// The tables that the README has, in its order.
const IN_README: &[&str] = &[
    "pipe",
    "single",
    "pipelined",
    "static-9700",
    "static-2100000",
    "events",
    "sockets",
    "routing",
];

/// Where it all goes.
#[derive(Debug)]
pub(super) struct Report {
    folder: PathBuf,
    trial: bool,
    readme: Option<PathBuf>,
}

impl Report {
    /// What a run of these options writes, in the workspace at `root`.
    ///
    /// # Errors
    /// The README has no place for its tables. Said before anything is measured.
    pub(super) fn new(root: &Path, options: &Options) -> Result<Self, String> {
        let trial = options.quick || !options.servers.is_empty();
        let report = Self {
            folder: options.out.as_ref().map_or_else(|| root.join(FOLDER), PathBuf::from),
            trial,
            readme: (!trial && options.out.is_none()).then(|| root.join("README.md")),
        };
        report.write_readme(None)?;
        Ok(report)
    }

    /// Writes a run, and says where the page is.
    ///
    /// # Errors
    /// A file can't be read or written.
    pub(super) fn write(&self, run: Run) -> Result<PathBuf, String> {
        std::fs::create_dir_all(&self.folder).map_err(|error| failed("made", &self.folder, &error))?;
        let mut runs = vec![run];
        if !self.trial {
            let date = runs[0].machine.date.replace(':', "");
            self.write_json(&date, &runs)?;
            runs.extend(self.read()?);
            keep_newest(&mut runs);
        }
        self.write_json(self.stem(), &runs)?;
        self.show(&runs)
    }

    /// Writes page and README again, of what was measured before.
    ///
    /// # Errors
    /// Nothing was, or a file can't be read or written.
    pub(super) fn write_again(&self) -> Result<PathBuf, String> {
        let runs = self.read()?;
        match runs.is_empty() {
            true => Err(format!(
                "{} has no runs: measure first",
                self.file(self.stem(), "json").display()
            )),
            false => self.show(&runs),
        }
    }

    fn show(&self, runs: &[Run]) -> Result<PathBuf, String> {
        let page = self.file(self.stem(), "html");
        std::fs::write(&page, html::print(runs)).map_err(|error| failed("written", &page, &error))?;
        self.write_readme(Some(runs))?;
        Ok(page)
    }

    /// None: only sees whether it could.
    fn write_readme(&self, runs: Option<&[Run]>) -> Result<(), String> {
        let Some(readme) = &self.readme else {
            return Ok(());
        };
        let file = std::fs::read_to_string(readme).map_err(|error| failed("read", readme, &error))?;
        let tables = markdown::print(runs.unwrap_or_default(), IN_README);
        let new = markdown::replaced(&file, &tables).map_err(|why| format!("{}: {why}", readme.display()))?;
        match runs {
            Some(_) if new != file => std::fs::write(readme, new).map_err(|error| failed("written", readme, &error)),
            _ => Ok(()),
        }
    }

    /// The runs there are.
    fn read(&self) -> Result<Vec<Run>, String> {
        let file = self.file(self.stem(), "json");
        match std::fs::read(&file) {
            Ok(json) => serde_json::from_slice(&json)
                .map_err(|error| format!("{}: {error}; remove it to begin anew", file.display())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(failed("read", &file, &error)),
        }
    }

    fn write_json(&self, stem: &str, runs: &[Run]) -> Result<(), String> {
        let file = self.file(stem, "json");
        let json = serde_json::to_string_pretty(runs).map_err(|error| format!("{}: {error}", file.display()))?;
        std::fs::write(&file, json + "\n").map_err(|error| failed("written", &file, &error))
    }

    fn stem(&self) -> &'static str {
        if self.trial { TRIAL } else { LATEST }
    }

    fn file(&self, stem: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{stem}.{extension}"))
    }
}

/// Of each table the first; runs that have none go.
fn keep_newest(runs: &mut Vec<Run>) {
    let mut seen = std::collections::BTreeSet::new();
    for run in runs.iter_mut() {
        run.tables.retain(|table| seen.insert(table.name.clone()));
    }
    runs.retain(|run| !run.tables.is_empty());
}

fn failed(done: &str, path: &Path, error: &std::io::Error) -> String {
    format!("{} can't be {done}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_run_leaves_the_other_tables_as_they_were_measured() {
        let folder = Folder::new("partial");
        let report = folder.report(&Options::default()).unwrap();
        let (whole, mut partial) = (sample::run(), sample::run());
        report.write(whole.clone()).unwrap();
        partial.machine.date = "2026-05-10T00:00:00Z".to_owned();
        partial.tables.retain(|table| table.name == "growth");
        report.write(partial.clone()).unwrap();

        let runs = report.read().unwrap();
        assert_eq!(runs[0], partial);
        assert_eq!(runs[1].machine, whole.machine);
        assert_eq!(runs[1].tables, [sample::loopback()]);
        let alone: Vec<Run> =
            serde_json::from_str(&folder.file("xtask/bench/results/2026-05-10T000000Z.json")).unwrap();
        assert_eq!(alone, [partial]);
        report.write(whole.clone()).unwrap();
        assert_eq!(report.read().unwrap(), [whole], "a run without tables is gone");
    }

    #[test]
    fn a_trial_touches_nothing_else() {
        let folder = Folder::new("trial");
        let quick = Options {
            quick: true,
            ..Options::default()
        };
        let trial = folder.report(&quick).unwrap();
        assert!(
            trial
                .write_again()
                .unwrap_err()
                .ends_with("trial.json has no runs: measure first")
        );
        let page = trial.write(sample::run()).unwrap();
        assert_eq!(page, folder.0.join("xtask/bench/results/trial.html"));
        assert_eq!(trial.write_again().unwrap(), page);
        assert_eq!(std::fs::read_dir(page.parent().unwrap()).unwrap().count(), 2);
        assert_eq!(folder.file("README.md"), README);
    }

    #[test]
    fn a_readme_without_markers_is_told_of_before_anything_is_measured() {
        let folder = Folder::new("unmarked");
        std::fs::write(folder.0.join("README.md"), "# A\n").unwrap();
        let error = folder.report(&Options::default()).unwrap_err();
        assert!(
            error.contains("README.md: write a line `<!-- bench:begin -->`"),
            "{error}"
        );
        let elsewhere = Options {
            out: Some(folder.0.join("out").display().to_string()),
            ..Options::default()
        };
        assert!(folder.report(&elsewhere).is_ok(), "its README isn't written");
    }

    const README: &str = "# A\n\n<!-- bench:begin -->\n<!-- bench:end -->\n";

    /// A workspace with nothing but a README. Removed in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("polywire-report-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("README.md"), README).unwrap();
            Self(path)
        }

        fn report(&self, options: &Options) -> Result<Report, String> {
            Report::new(&self.0, options)
        }

        fn file(&self, name: &str) -> String {
            std::fs::read_to_string(self.0.join(name)).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            _ = std::fs::remove_dir_all(&self.0);
        }
    }
}
