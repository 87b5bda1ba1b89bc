//! Layer `size`: how large binaries are. `helloworld` on each transport, and the peers.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Options;
use super::answerer::{build, workspace};
use super::run::{Better, Column, Table};

/// The ways to build helloworld with its transports, and what cargo is told.
pub(super) const BUILDS: [(&str, &[&str]); 4] = [
    ("hyper", &[]),
    ("fast beside hyper", &["--features", "transport-fast"]),
    ("fast alone", &["--no-default-features", "--features", "transport-fast"]),
    (
        "hyper alone",
        &["--no-default-features", "--features", "transport-hyper"],
    ),
];

/// Peers, and their packages.
const PEERS: [&str; 6] = [
    "hand-hyper",
    "hand-axum",
    "hand-actix",
    "hand-ntex",
    "hand-xitca",
    "hand-may",
];

/// Measures it.
pub(super) fn size(options: &Options) -> Result<Vec<Table>, String> {
    let mut names = Vec::new();
    let mut samples = Vec::new();
    for (name, _) in BUILDS {
        let plain = helloworld(name, "release")?;
        let release = [bytes(&plain)?, stripped(&plain)?];
        let small = stripped(&helloworld(name, "small")?)?;
        names.push(format!("helloworld, {name}"));
        samples.push(vec![figure(release[0]), figure(release[1]), figure(small)]);
    }
    for peer in PEERS {
        if peer == "hand-hyper" || options.servers.is_empty() || options.servers.contains(peer) {
            let manifest = workspace()?.join("examples/peers/Cargo.toml");
            let plain = build(&manifest, &["--package", peer], peer, &[])?;
            names.push(peer.to_owned());
            samples.push(vec![figure(bytes(&plain)?), figure(stripped(&plain)?), None]);
        }
    }
    let mut table = Table {
        name: "size".to_owned(),
        title: "Sizes of binaries".to_owned(),
        about: "Fat LTO, unwinding. Stripped by `strip`; size-optimised is `--profile small` (opt-level \"s\"), stripped. helloworld has \
                a log, shutdown and limits; the peers have none of these."
            .to_owned(),
        rows_are: "binary".to_owned(),
        base: None,
        columns: vec![
            column("plain", false),
            column("stripped", true),
            column("size-optimised", false),
        ],
        rows: Vec::new(),
    };
    table.fill(&names.iter().map(String::as_str).collect::<Vec<_>>(), &samples);
    Ok(vec![table])
}

/// Builds helloworld.
pub(super) fn helloworld(name: &str, profile: &str) -> Result<PathBuf, String> {
    let (_, told) = BUILDS
        .into_iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("helloworld is not built as `{name}`"))?;
    let options = [&["--package", "helloworld", "--profile", profile], told].concat();
    build(&workspace()?.join("Cargo.toml"), &options, "helloworld", &[])
}

/// The size of what `strip` leaves of it.
pub(super) fn stripped(binary: &Path) -> Result<u64, String> {
    let copy = binary.with_extension("stripped");
    let status = Command::new("strip")
        .arg("-o")
        .args([&copy, binary])
        .status()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                "strip is not installed: `apt-get install binutils`, or another package manager's".to_owned()
            }
            _ => format!("strip does not start: {error}"),
        })?;
    match status.success() {
        true => bytes(&copy),
        false => Err(format!("strip failed on {}: {status}", binary.display())),
    }
}

fn bytes(file: &Path) -> Result<u64, String> {
    let metadata = std::fs::metadata(file);
    metadata
        .map(|metadata| metadata.len())
        .map_err(|error| format!("{} can't be looked at: {error}", file.display()))
}

fn figure(bytes: u64) -> Option<Vec<f64>> {
    Some(vec![bytes as f64 / 1000.0])
}

fn column(name: &str, drawn: bool) -> Column {
    Column {
        name: name.to_owned(),
        unit: "kB".to_owned(),
        better: Better::Less,
        drawn,
        digits: 0,
    }
}
