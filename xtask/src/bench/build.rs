//! Layer `build`: how long building helloworld takes, from nothing and after one handler was changed.
//!
//! A copy of it, in a folder of its own that is removed: nobody's files are touched, and nobody's builds are found there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::Options;
use super::answerer::{target, workspace};
use super::run::{Better, Column, Table};

/// How often one handler is changed.
const CHANGES: usize = 3;
/// What a handler says, and what it is changed to say.
const HANDLER: [&str; 2] = ["\"Hello, {}!\"", "\"Hallo, {}!\""];

/// Measures it.
pub(super) fn build(_: &Options) -> Result<Vec<Table>, String> {
    let mut rows = Vec::new();
    let mut samples = Vec::new();
    for (name, features) in [
        ("hyper", &["--features", "transport-hyper"]),
        ("fast", &["--features", "transport-fast"]),
    ] {
        for profile in ["dev", "release"] {
            eprintln!("build: {name}, {profile}");
            let copy = Copy::new()?;
            let options = [&["--profile", profile], &features[..]].concat();
            let clean = copy.build(&options)?;
            let mut changed = Vec::new();
            for change in 0..CHANGES {
                copy.change(HANDLER[(change + 1) % 2])?;
                changed.push(copy.build(&options)?);
            }
            rows.push(format!("{name}, {profile}"));
            // There is one clean build, whatever is in the other column.
            samples.push(vec![Some(vec![clean]), Some(changed)]);
        }
    }
    let column = |name: &str, digits| Column {
        name: name.to_owned(),
        unit: "s".to_owned(),
        better: Better::Less,
        drawn: true,
        digits,
    };
    let mut table = Table {
        name: "build".to_owned(),
        title: "How long building helloworld takes".to_owned(),
        about: "With one transport, dependencies downloaded: from nothing, and after the text of one handler was changed. Release has fat \
                LTO, which goes through all of it again."
            .to_owned(),
        rows_are: "build".to_owned(),
        base: None,
        columns: vec![column("clean", 0), column("one handler changed", 1)],
        rows: Vec::new(),
    };
    table.fill(&rows.iter().map(String::as_str).collect::<Vec<_>>(), &samples);
    Ok(vec![table])
}

/// A copy of helloworld; gone with its builds when it is dropped.
struct Copy {
    folder: PathBuf,
    /// As it was.
    main: String,
}

impl Copy {
    fn new() -> Result<Self, String> {
        let root = workspace()?;
        let folder = target()?.join("build-time");
        let copied = copy(&root, &folder);
        let main = copied.map_err(|error| format!("helloworld can't be copied to {}: {error}", folder.display()))?;
        match main.contains(HANDLER[0]) {
            true => Ok(Self { folder, main }),
            false => Err(format!(
                "helloworld has no handler with {}: build.rs must name another",
                HANDLER[0]
            )),
        }
    }

    /// Changes a handler.
    fn change(&self, to: &str) -> Result<(), String> {
        let path = self.folder.join("src/main.rs");
        fs::write(&path, self.main.replace(HANDLER[0], to))
            .map_err(|error| format!("{} can't be written: {error}", path.display()))
    }

    /// Builds it: the seconds that took.
    fn build(&self, options: &[&str]) -> Result<f64, String> {
        let begun = Instant::now();
        let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["build", "--quiet"])
            .args(options)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .status()
            .map_err(|error| format!("cargo does not start: {error}"))?;
        match status.success() {
            true => Ok(begun.elapsed().as_secs_f64()),
            false => Err(format!(
                "`cargo build {}` failed in {}",
                options.join(" "),
                self.folder.display()
            )),
        }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            eprintln!("{} is still there: {error}", self.folder.display());
        }
    }
}

/// Its sources, the versions that are locked, and a manifest of its own.
fn copy(root: &Path, folder: &Path) -> io::Result<String> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    copy_all(&root.join("examples/helloworld/src"), &folder.join("src"))?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(folder.join("Cargo.toml"), manifest(root))?;
    fs::read_to_string(folder.join("src/main.rs"))
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_all(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}

fn manifest(root: &Path) -> String {
    format!(
        "[package]\nname = \"helloworld\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         polywire = {{ path = {:?} }}\nserde = {{ version = \"1\", features = [\"derive\"] }}\n\
         tracing = {{ version = \"0.1\", default-features = false, features = [\"release_max_level_info\"] }}\n\n\
         [features]\ntransport-fast = [\"polywire/transport-fast\"]\ntransport-hyper = [\"polywire/transport-hyper\"]\n\n\
         [profile.release]\nlto = \"fat\"\ncodegen-units = 1\n\n[profile.dev]\ndebug = \"line-tables-only\"\n\n[workspace]\n",
        root.join("runtime/polywire")
    )
}
