//! Programs that answer a number of requests in memory and end: the probe's `pipe` example on each transport, and peers that can.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::{Message, Metadata, MetadataCommand};

/// The kinds of requests that `examples/probe/examples/pipe` knows.
pub(crate) const CASES: [&str; 6] = ["static", "param", "query", "post", "html", "missing"];

/// One of them, built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answerer {
    pub(crate) name: String,
    program: PathBuf,
    /// What it is told before the number of requests.
    before: Option<&'static str>,
}

/// The chains that `examples/probe/examples/chains` has, and how many middlewares each has.
pub(crate) const CHAINS: [(&str, u32); 4] = [("none", 0), ("one", 1), ("three", 3), ("default", 2)];

/// A peer: its package and executable, and what it is told.
const PEERS: [(&str, &str, Option<&str>); 4] = [
    ("null-pipe", "pipe", None),
    ("bare", "pipe", None),
    ("hand-hyper", "hand-hyper", Some("--pipe")),
    ("hand-axum", "hand-axum", Some("--pipe")),
];

impl Answerer {
    /// The probe on a transport.
    pub(crate) fn ours(transport: &str) -> Result<Self, String> {
        let name = format!("polywire-{transport}");
        Ok(Self {
            program: example("pipe", transport, &name)?,
            name,
            before: None,
        })
    }

    /// One of its handlers on a transport, with each of the [`CHAINS`].
    pub(crate) fn chained(transport: &str) -> Result<Vec<Self>, String> {
        let program = example("chains", transport, &format!("chains-{transport}"))?;
        let chained = CHAINS.map(|(chain, _)| Self {
            name: format!("{transport}, chain {chain}"),
            program: program.clone(),
            before: Some(chain),
        });
        Ok(chained.into())
    }

    /// One written by hand. A build of its own: in one, cargo would give all of them the features that any asks for.
    pub(crate) fn peer(name: &str) -> Result<Self, String> {
        let (_, package, before) = PEERS
            .into_iter()
            .find(|(known, _, _)| *known == name)
            .ok_or_else(|| format!("`{name}` can't answer in memory"))?;
        let manifest = workspace()?.join("examples/peers/Cargo.toml");
        let built = build(&manifest, &["--package", package], name, &[])?;
        Ok(Self {
            name: name.to_owned(),
            program: keep(&built, name)?,
            before,
        })
    }

    /// The program and its arguments for this many requests.
    pub(crate) fn command(&self, count: u32, arguments: &[&str]) -> Vec<OsString> {
        let mut command = vec![self.program.clone().into_os_string()];
        command.extend(self.before.map(OsString::from));
        command.push(count.to_string().into());
        command.extend(arguments.iter().map(OsString::from));
        command
    }

    /// What it prints when it answers this many.
    ///
    /// # Errors
    /// It failed.
    pub(crate) fn run(&self, count: u32, arguments: &[&str]) -> Result<Printed, String> {
        let command = self.command(count, arguments);
        let output = Command::new(&command[0])
            .args(&command[1..])
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("{command:?} does not start: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        match Printed::parse(&text) {
            Some(printed) if output.status.success() => Ok(printed),
            _ => Err(format!("{command:?}, {}, said: {text}", output.status)),
        }
    }
}

/// What such a program says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Printed {
    pub(crate) nanoseconds: f64,
    /// Bytes of the future that answers a request; the peers have none.
    pub(crate) future: Option<f64>,
}

impl Printed {
    fn parse(text: &str) -> Option<Self> {
        let number = |unit: &str| text.lines().find_map(|line| line.strip_suffix(unit)?.parse().ok());
        Some(Self {
            nanoseconds: number(" ns each")?,
            future: number(" bytes of future"),
        })
    }
}

/// Builds an example of the probe on a transport.
fn example(example: &str, transport: &str, kept: &str) -> Result<PathBuf, String> {
    let feature = format!("transport-{transport}");
    let options = ["--package", "probe", "--example", example, "--features", &feature];
    let built = build(&workspace()?.join("Cargo.toml"), &options, example, &[])?;
    keep(&built, kept)
}

/// A copy of it that the next build does not overwrite.
fn keep(built: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = built.with_file_name("in-memory");
    let kept = folder.join(name);
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::copy(built, &kept))
        .map_err(|error| format!("{} can't be written: {error}", kept.display()))?;
    Ok(kept)
}

/// The transports that the probe has a feature for.
pub(crate) fn transports() -> Result<Vec<String>, String> {
    let metadata = metadata()?;
    let probe = metadata
        .packages
        .iter()
        .find(|package| package.name.as_str() == "probe");
    let features = probe.into_iter().flat_map(|package| package.features.keys());
    Ok(features
        .filter_map(|feature| feature.strip_prefix("transport-").map(str::to_owned))
        .collect())
}

/// This workspace's folder.
pub(crate) fn workspace() -> Result<PathBuf, String> {
    Ok(metadata()?.workspace_root.into_std_path_buf())
}

/// The folder that this workspace is built in.
pub(crate) fn target() -> Result<PathBuf, String> {
    Ok(metadata()?.target_directory.into_std_path_buf())
}

fn metadata() -> Result<Metadata, String> {
    MetadataCommand::new()
        .no_deps()
        .exec()
        .map_err(|error| error.to_string())
}

/// Builds for release, unless the options say otherwise, and says where the executable of this target is.
///
/// # Errors
/// cargo failed, or made no such executable.
pub(crate) fn build(
    manifest: &Path,
    options: &[&str],
    target: &str,
    environment: &[(&str, &str)],
) -> Result<PathBuf, String> {
    let said = format!("`cargo build {}`", options.join(" "));
    eprintln!("building {target}: {}", options.join(" "));
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "build",
        "--quiet",
        "--message-format=json-render-diagnostics",
        "--manifest-path",
    ]);
    cargo.arg(manifest).args(options).envs(environment.iter().copied());
    if !options.contains(&"--profile") {
        cargo.arg("--release");
    }
    let output = cargo
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{said} did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("{said} failed: {}", output.status));
    }
    for message in Message::parse_stream(output.stdout.as_slice()) {
        let message = message.map_err(|error| format!("{said} can't be understood: {error}"))?;
        if let Message::CompilerArtifact(artifact) = message
            && artifact.target.name == target
            && let Some(path) = artifact.executable
        {
            return Ok(path.into_std_path_buf());
        }
    }
    Err(format!("{said} made no executable `{target}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_understood() {
        let ours = "200000 answers of 178 bytes\n327.0 ns each\n312 bytes of future\n";
        let (nanoseconds, future) = (327.0, Some(312.0));
        assert_eq!(Printed::parse(ours), Some(Printed { nanoseconds, future }));
        let future = None;
        let peers = "200000 requests\n327.0 ns each\n";
        assert_eq!(Printed::parse(peers), Some(Printed { nanoseconds, future }));
        assert_eq!(Printed::parse("200000 requests\n"), None);
    }

    #[test]
    fn the_number_of_requests_follows_what_makes_it_one() {
        let peer = Answerer {
            name: "hand-hyper".to_owned(),
            program: "hand-hyper".into(),
            before: Some("--pipe"),
        };
        assert_eq!(peer.command(7, &["--tuned"]), ["hand-hyper", "--pipe", "7", "--tuned"]);
    }
}
