//! What is measured over sockets: which servers there are, how each is built and how it is started.
//!
//! Nothing here measures. What each must answer first is in `answers.rs`, how a process is watched in `process.rs`, who loads the
//! servers in `load.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cargo_metadata::{Message, Metadata, MetadataCommand};

use super::Options;
use super::answers::{self, USER};
use super::client::Client;
use super::nginx;
use super::process::{Folder, Process};

/// Those that the others are divided by: where files are sent, hyper is told not to copy them.
pub(super) const BASE: &str = "hand-hyper";
pub(super) const BASE_OF_FILES: &str = "hand-hyper-vectored";
pub(super) const FLOOR: &str = "floor";
pub(super) const NGINX: &str = "nginx";
pub(super) const AXUM: &str = "hand-axum";

const OURS: &str = "polywire-";
const FEATURE: &str = "transport-";

/// What `--quick` takes beside ours.
const USUAL: &[&str] = &[BASE, AXUM, "hand-actix", "hand-may", FLOOR];

/// A server of `examples/peers`, and what its command has behind the port.
struct Peer {
    name: &'static str,
    package: &'static str,
    arguments: &'static [&'static str],
}

const PEERS: &[Peer] = &[
    peer(BASE),
    Peer {
        name: "hand-hyper-per-core",
        package: BASE,
        arguments: &["--per-core"],
    },
    Peer {
        name: BASE_OF_FILES,
        package: BASE,
        arguments: &["--vectored"],
    },
    peer(AXUM),
    peer("hand-actix"),
    peer("hand-ntex"),
    peer("hand-xitca"),
    peer("hand-may"),
    peer(FLOOR),
];

const fn peer(name: &'static str) -> Peer {
    Peer {
        name,
        package: name,
        arguments: &[],
    }
}

const START: Duration = Duration::from_secs(30);
/// Between looks at a server that starts: what it is measured to.
const LOOK: Duration = Duration::from_micros(200);
/// Requests that a server has answered before it is measured.
const WARM: usize = 500;

/// A server that is built, and answers what all of them answer.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: String,
    /// With {port} in it, and {folder}: its own.
    command: Vec<String>,
}

/// The servers that were asked for and are installed, and the base whatever was asked: built, each alone, and checked. Those
/// that were already are not again.
///
/// # Errors
/// There is no such server, cargo failed, or a server does not answer as the others do: then nothing is compared.
pub(super) fn built(options: &Options, base: &str) -> Result<Vec<Arc<Server>>, String> {
    built_of(options, base, |_| true)
}

/// As [`built`], of those whose name is `wanted`.
pub(super) fn built_of(options: &Options, base: &str, wanted: fn(&str) -> bool) -> Result<Vec<Arc<Server>>, String> {
    static BUILT: Mutex<BTreeMap<String, Arc<Server>>> = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let root = metadata()?;
    let mut servers = Vec::new();
    let chosen = chosen(options, base, &known(&root))?;
    for name in chosen.into_iter().filter(|name| wanted(name)) {
        if !built.contains_key(&name) {
            if name == NGINX && nginx::program().is_none() {
                eprintln!("nginx is left out: not installed (`apt-get install nginx`, or another package manager's)");
                continue;
            }
            eprintln!("{name}: is built");
            let server = Server::build(&name, &root)?;
            answers::check(&server.start()?)?;
            built.insert(name.clone(), Arc::new(server));
        }
        servers.push(Arc::clone(&built[&name]));
    }
    Ok(servers)
}

/// The probe on each transport it has a feature for, the hand-written ones, and nginx.
fn known(root: &Metadata) -> Vec<String> {
    let probe = root.packages.iter().find(|package| package.name.as_str() == "probe");
    let features = probe.into_iter().flat_map(|package| package.features.keys());
    let ours = features.filter_map(|feature| Some(format!("{OURS}{}", feature.strip_prefix(FEATURE)?)));
    let peers = PEERS.iter().map(|peer| peer.name.to_owned());
    ours.chain(peers).chain([NGINX.to_owned()]).collect()
}

fn chosen(options: &Options, base: &str, known: &[String]) -> Result<Vec<String>, String> {
    if let Some(unknown) = options.servers.iter().find(|name| !known.contains(name)) {
        return Err(format!(
            "no server is called `{unknown}`: there are {}",
            known.join(", ")
        ));
    }
    let wanted = |name: &str| match () {
        () if name == base => true,
        () if !options.servers.is_empty() => options.servers.contains(name),
        // One of the two is enough, where nobody says.
        () if name == BASE || name == BASE_OF_FILES => false,
        () if options.quick => name.starts_with(OURS) || USUAL.contains(&name),
        () => true,
    };
    Ok(known.iter().filter(|name| wanted(name)).cloned().collect())
}

/// Whether one of this name serves files of a folder.
pub(super) fn has_folder(name: &str) -> bool {
    name == NGINX || name.starts_with(OURS)
}

/// Whether one of this name has events and WebSockets.
pub(super) fn lasts(name: &str) -> bool {
    name == AXUM || name.starts_with(OURS)
}

impl Server {
    fn build(name: &str, root: &Metadata) -> Result<Self, String> {
        let folder = root.workspace_root.as_std_path();
        let kept = root.target_directory.as_std_path().join("bench");
        let command: Vec<String> = if let Some(peer) = PEERS.iter().find(|peer| peer.name == name) {
            let manifest = folder.join("examples/peers/Cargo.toml");
            let binary = executable(&manifest, &["--package", peer.package])?;
            let binary = keep(&binary, &kept, name)?;
            let arguments = peer.arguments.iter().map(|&word| word.to_owned());
            [binary, "{port}".to_owned()].into_iter().chain(arguments).collect()
        } else if name == NGINX {
            let arguments = nginx::ARGUMENTS.iter().map(|&word| word.to_owned());
            nginx::program().into_iter().chain(arguments).collect()
        } else {
            let feature = format!("{FEATURE}{}", name.trim_start_matches(OURS));
            let options = ["--package", "probe", "--bin", "probe", "--features", &feature];
            let binary = executable(&folder.join("Cargo.toml"), &options)?;
            vec![
                keep(&binary, &kept, name)?,
                "--listen".to_owned(),
                "127.0.0.1:{port}".to_owned(),
            ]
        };
        Ok(Self {
            name: name.to_owned(),
            command,
        })
    }

    /// Whether it has an answer to this target.
    pub(super) fn answers(&self, target: &str) -> bool {
        match self.name.as_str() {
            FLOOR => target == USER,
            NGINX => target == USER || target.starts_with("/files/"),
            _ => true,
        }
    }

    /// Whether it ends a connection whose client says `Connection: close`.
    pub(super) fn closes(&self) -> bool {
        self.name != FLOOR
    }

    /// Starts it on a free port, and waits until it answers.
    ///
    /// # Errors
    /// It ended, or took too long: with what it printed.
    pub(super) fn start(&self) -> Result<Running<'_>, String> {
        self.start_behind(&[])
    }

    /// As [`start`](Self::start): the files are below `/static`, too, each by its size.
    pub(super) fn start_with_folder(&self) -> Result<Running<'_>, String> {
        match self.name.starts_with(OURS) {
            true => self.start_behind(&["--static", "{folder}/files"]),
            false => self.start(),
        }
    }

    fn start_behind(&self, arguments: &[&str]) -> Result<Running<'_>, String> {
        let folder = Folder::create()?;
        let port = free_port().map_err(|error| format!("no port is free: {error}"))?;
        if self.name == NGINX {
            nginx::configure(&self.command[0], folder.path(), port)?;
        } else if !arguments.is_empty() {
            nginx::write_files(folder.path())?;
        }
        let place = folder.path().to_string_lossy();
        let words = self.command.iter().map(String::as_str);
        let command: Vec<String> = words
            .chain(arguments.iter().copied())
            .map(|word| word.replace("{port}", &port.to_string()).replace("{folder}", &place))
            .collect();
        let begun = Instant::now();
        let process = Process::start(&command, folder.path())?;
        let mut running = Running {
            server: self,
            port,
            started: Duration::ZERO,
            process,
            _folder: folder,
        };
        running.wait(begun, Running::is_up)?;
        running.started = begun.elapsed();
        // It answers before it has all of its workers.
        let workers = thread::available_parallelism().map_or(1, usize::from);
        running.wait(begun, |running| {
            self.name != NGINX || running.process.ids().len() > workers
        })?;
        Ok(running)
    }
}

/// A server's process, ended where this is dropped.
pub(super) struct Running<'a> {
    pub(super) server: &'a Server,
    pub(super) port: u16,
    /// From its start to its first answer.
    pub(super) started: Duration,
    pub(super) process: Process,
    /// What it reads and prints.
    _folder: Folder,
}

impl Running<'_> {
    fn wait(&mut self, begun: Instant, done: impl Fn(&Self) -> bool) -> Result<(), String> {
        while !done(self) {
            if begun.elapsed() > START || !self.process.runs() {
                return Err(self.complaint("did not start"));
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    fn is_up(&self) -> bool {
        self.asked(1, USER).is_ok()
    }

    /// Has it answer until nothing is done for the first time any more.
    ///
    /// # Errors
    /// It does not answer.
    pub(super) fn warm(&self, target: &str) -> Result<(), String> {
        self.ask(WARM, target)
    }

    /// Has it answer so many times, on a connection of its own.
    ///
    /// # Errors
    /// It did not, or with another status than 200.
    pub(super) fn ask(&self, times: usize, target: &str) -> Result<(), String> {
        let asked = self.asked(times, target);
        asked.map_err(|error| self.complaint(&format!("does not answer {target}: {error}")))
    }

    fn asked(&self, times: usize, target: &str) -> io::Result<()> {
        let mut client = Client::connect(self.port)?;
        for _ in 0..times {
            let answer = client.ask("GET", target, b"")?;
            if answer.status != 200 {
                return Err(io::Error::other(format!("status {}", answer.status)));
            }
        }
        Ok(())
    }

    /// A line about it, and what it printed last.
    pub(super) fn complaint(&self, what: &str) -> String {
        let printed = self.process.printed();
        let lines: Vec<&str> = printed.lines().rev().take(20).collect();
        let last: String = lines.into_iter().rev().map(|line| format!("\n  {line}")).collect();
        format!("{} {what}{last}", self.server.name)
    }
}

fn metadata() -> Result<Metadata, String> {
    MetadataCommand::new()
        .no_deps()
        .exec()
        .map_err(|error| error.to_string())
}

/// Builds a binary in release, and nothing beside it: in one build, cargo would give all the union of the features they ask of
/// what they share.
fn executable(manifest: &Path, options: &[&str]) -> Result<PathBuf, String> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let said = format!("`cargo build --release {}`", options.join(" "));
    let output = Command::new(program)
        .args([
            "build",
            "--release",
            "--quiet",
            "--message-format=json-render-diagnostics",
        ])
        .arg("--manifest-path")
        .arg(manifest)
        .args(options)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{said} did not start: {error}"))?;
    if !output.status.success() {
        return Err(format!("{said} failed: {}", output.status));
    }
    let messages = Message::parse_stream(output.stdout.as_slice());
    let mut executables = messages.filter_map(|message| match message {
        Ok(Message::CompilerArtifact(artifact)) => artifact.executable,
        _ => None,
    });
    let found = executables.next().ok_or_else(|| format!("{said} made no binary"))?;
    Ok(found.into_std_path_buf())
}

/// Puts a binary where the next build does not overwrite it: the probe's is the same file on every transport.
fn keep(binary: &Path, folder: &Path, name: &str) -> Result<String, String> {
    let kept = folder.join(name);
    // One that still runs is left alone.
    let _ = fs::remove_file(&kept);
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(binary, &kept))
        .map_err(|error| format!("{} can't be written: {error}", kept.display()))?;
    Ok(kept.to_string_lossy().into_owned())
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(options: &Options, base: &str) -> Vec<String> {
        let known = known(&metadata().expect("cargo reads its own workspace"));
        chosen(options, base, &known).unwrap()
    }

    #[test]
    fn the_base_is_always_among_them() {
        let options = Options {
            servers: ["polywire-fast".to_owned()].into(),
            ..Options::default()
        };
        assert_eq!(names(&options, BASE), ["polywire-fast", BASE]);
        assert_eq!(names(&options, BASE_OF_FILES), ["polywire-fast", BASE_OF_FILES]);
        let unknown = Options {
            servers: ["polywire".to_owned()].into(),
            ..Options::default()
        };
        assert!(chosen(&unknown, BASE, &[BASE.to_owned()]).is_err());
    }

    #[test]
    fn one_base_is_enough_and_the_quick_take_the_usual() {
        let all = names(&Options::default(), BASE);
        assert!(all.contains(&NGINX.to_owned()) && !all.contains(&BASE_OF_FILES.to_owned()));
        assert!(!names(&Options::default(), BASE_OF_FILES).contains(&BASE.to_owned()));
        let quick = Options {
            quick: true,
            ..Options::default()
        };
        let usual = [
            "polywire-fast",
            "polywire-hyper",
            BASE,
            "hand-axum",
            "hand-actix",
            "hand-may",
            FLOOR,
        ];
        assert_eq!(names(&quick, BASE), usual);
    }
}
