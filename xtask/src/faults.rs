//! `cargo xtask faults`: attacks and kills the probe on each transport, and says what became of it.
//!
//! Builds `examples/probe` in release for each transport, and runs the `faults` program of `transports/conformance` on them, which
//! knows what is done and what a server is held to.

use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{Metadata, MetadataCommand};

const HELP: &str = "\
Attacks and kills the probe on each transport, and prints what became of it.

    cargo xtask faults [--transport NAME].. [--short] [--only FAULT[,FAULT]]

  --transport NAME  on this transport; without it, on each that the probe has
  --short           fewer clients and shorter timeouts
  --only FAULT      slowloris, unread, flood, lasting, descriptors, storm, shutdown, restart

It talks to 127.0.0.1 only, ends what it starts, and takes a minute for each transport in the short form, and five in the other. What
each fault is and what must hold stands in transports/conformance/README.md.
Exit 0: every bound was kept.";

/// Descriptors of the program and of each server, where the machine allows them: whatever the shell has is not what is measured.
const DESCRIPTORS: u32 = 4096;

/// Runs it.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(options) = Options::parse(arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .map_err(|error| error.to_string())?;
    let transports = transports(&metadata);
    if let Some(unknown) = options.transports.iter().find(|name| !transports.contains(name)) {
        return Err(format!(
            "the probe has no transport `{unknown}`: it has {}",
            transports.join(", ")
        ));
    }
    let chosen = if options.transports.is_empty() {
        &transports
    } else {
        &options.transports
    };

    cargo(&["-p", "pw-conformance", "--bin", "faults"])?;
    let target = metadata.target_directory.as_std_path();
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -Sn {DESCRIPTORS}; exec \"$0\" \"$@\"")])
        .arg(target.join("debug/faults"));
    for name in chosen {
        let path = probe(target, name)?;
        command.args(["--server", &format!("{name}={}", path.display())]);
    }
    let status = command
        .args(&options.passed_on)
        .status()
        .map_err(|error| format!("a shell can't be started: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err("not every bound was kept".to_owned()),
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    transports: Vec<String>,
    /// What the program reads.
    passed_on: Vec<String>,
}

impl Options {
    /// `None`: help is wanted.
    fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .cloned()
                    .ok_or_else(|| format!("`{argument}` needs a value"))
            };
            match argument.as_str() {
                "-h" | "--help" => return Ok(None),
                "--transport" => options.transports.push(value()?),
                "--short" => options.passed_on.push(argument.clone()),
                "--only" => options.passed_on.extend([argument.clone(), value()?]),
                other => return Err(format!("`faults` takes no `{other}`: `cargo xtask faults --help`")),
            }
        }
        Ok(Some(options))
    }
}

/// The transports that the probe has a feature for.
fn transports(metadata: &Metadata) -> Vec<String> {
    let probe = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == "probe");
    probe
        .into_iter()
        .flat_map(|package| package.features.keys())
        .filter_map(|feature| feature.strip_prefix("transport-").map(str::to_owned))
        .collect()
}

/// Builds the probe on a transport as an operator does, and puts it where the next build does not overwrite it.
fn probe(target: &Path, transport: &str) -> Result<PathBuf, String> {
    cargo(&[
        "--release",
        "-p",
        "probe",
        "--bin",
        "probe",
        "--features",
        &format!("transport-{transport}"),
    ])?;
    let kept = target.join("faults").join(format!("probe-{transport}"));
    std::fs::create_dir_all(target.join("faults"))
        .and_then(|()| std::fs::copy(target.join("release/probe"), &kept))
        .map_err(|error| format!("{} can't be written: {error}", kept.display()))?;
    Ok(kept)
}

fn cargo(arguments: &[&str]) -> Result<(), String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let said = format!("`cargo build {}`", arguments.join(" "));
    let status = Command::new(program)
        .args(["build", "--quiet"])
        .args(arguments)
        .status()
        .map_err(|error| format!("{said} did not start: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{said} failed: {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Options>, String> {
        Options::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_done_is_for_the_program_to_read() {
        let options = parsed("--short --transport fast --only storm,flood").unwrap().unwrap();
        assert_eq!(options.transports, ["fast"]);
        assert_eq!(options.passed_on, ["--short", "--only", "storm,flood"]);
        assert_eq!(parsed("--help"), Ok(None));
        assert_eq!(parsed("--transport"), Err("`--transport` needs a value".to_owned()));
        assert!(parsed("--fast").is_err());
    }

    #[test]
    fn the_probe_has_transports() {
        let metadata = MetadataCommand::new()
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .no_deps()
            .exec()
            .expect("cargo reads its own workspace");
        assert!(transports(&metadata).contains(&"hyper".to_owned()));
    }
}
