//! Where a run takes place, and what of: the machine, the commit, the versions of what is compared.
//!
//! A fact that can't be told is "unknown": no run of half an hour fails for want of `git`.

use std::path::Path;
use std::process::Command;

use super::run::Machine;

/// What the peers stand on, as examples/peers/Cargo.lock calls it.
const CRATES: &[&str] = &[
    "hyper",
    "axum",
    "actix-web",
    "ntex",
    "xitca-web",
    "may_minihttp",
    "tokio",
    "httparse",
    "matchit",
];

/// Programs that load, count or serve, and how each says its version.
const TOOLS: &[(&str, &str)] = &[("nginx", "-v"), ("wrk", "-v"), ("ab", "-V"), ("valgrind", "--version")];

/// What doesn't become part of what is measured: results, and text about it.
const NOT_MEASURED: &[&str] = &[":!xtask/bench", ":!*.md"];

const UNKNOWN: &str = "unknown";

impl Machine {
    /// This one, now; `root` is the workspace's.
    pub(crate) fn here(root: &Path) -> Self {
        let said = |program: &str, arguments: &[&str]| said(root, program, arguments);
        let known = |fact: Option<String>| fact.unwrap_or_else(|| UNKNOWN.to_owned());
        let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Self {
            date: known(said("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"])),
            processor: known(model(&cpuinfo).or_else(|| said("uname", &["-m"]))),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            kernel: known(said("uname", &["-sr"]).map(|said| without_suffix(&said))),
            rustc: known(said("rustc", &["-V"])),
            commit: known(commit(root)),
        }
    }
}

/// What is compared and what with, of all that is there, with its version.
pub(crate) fn versions(root: &Path) -> Vec<(String, String)> {
    let lock = std::fs::read_to_string(root.join("examples/peers/Cargo.lock")).unwrap_or_default();
    let crates = CRATES.iter().filter_map(|name| {
        let versions = locked(&lock, name);
        (!versions.is_empty()).then(|| ((*name).to_owned(), versions.join(" and ")))
    });
    let tools = TOOLS.iter().filter_map(|(name, argument)| {
        let output = Command::new(name).arg(argument).output().ok()?;
        let text = [output.stdout, output.stderr].concat();
        Some(((*name).to_owned(), number(&String::from_utf8_lossy(&text))?))
    });
    crates.chain(tools).collect()
}

fn model(cpuinfo: &str) -> Option<String> {
    let (_, model) = cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim() == "model name")?;
    Some(model.trim().to_owned())
}

fn commit(root: &Path) -> Option<String> {
    let head = said(root, "git", &["rev-parse", "--short=12", "HEAD"])?;
    let status = [&["status", "--porcelain", "--", "."], NOT_MEASURED].concat();
    let changed = said(root, "git", &status)?;
    Some(match changed.is_empty() {
        true => head,
        false => format!("{head} with changes"),
    })
}

/// What a program prints. None: it isn't there, or fails.
fn said(root: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(root).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// A kernel without what its builder has added, which may name machines.
fn without_suffix(kernel: &str) -> String {
    kernel.split('-').next().unwrap_or_default().to_owned()
}

/// The versions of a crate in a Cargo.lock.
fn locked(lock: &str, name: &str) -> Vec<String> {
    lock.split("[[package]]")
        .filter(|package| field(package, "name") == Some(name))
        .filter_map(|package| field(package, "version").map(str::to_owned))
        .collect()
}

fn field<'a>(package: &'a str, name: &str) -> Option<&'a str> {
    package.lines().find_map(|line| {
        let value = line.strip_prefix(name)?.strip_prefix(" = \"")?;
        value.strip_suffix('"')
    })
}

/// The first word with a version in it, from where its digits begin.
fn number(said: &str) -> Option<String> {
    let word = said
        .split_whitespace()
        .map(|word| word.trim_start_matches(|c: char| !c.is_ascii_digit()))
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(word.trim_end_matches(',').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_its_version() {
        assert_eq!(without_suffix("Linux 6.18.44-builder-7"), "Linux 6.18.44");
        assert_eq!(without_suffix("Linux 6.1.0"), "Linux 6.1.0");
    }

    #[test]
    fn the_model_is_found() {
        let cpuinfo =
            "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 1\nmodel name\t: AMD EPYC\nstepping\t: 1\n";
        assert_eq!(model(cpuinfo).as_deref(), Some("AMD EPYC"));
        assert_eq!(model("Processor: ARM"), None);
    }

    #[test]
    fn versions_are_read() {
        let lock = "version = 4\n\n[[package]]\nname = \"hyper-util\"\nversion = \"0.1.2\"\n\n[[package]]\nname = \"hyper\"\n\
                    version = \"1.12.0\"\ndependencies = [\n \"http\",\n]\n\n[[package]]\nname = \"hyper\"\nversion = \"0.14.3\"\n";
        assert_eq!(locked(lock, "hyper"), ["1.12.0", "0.14.3"]);
        assert!(locked(lock, "axum").is_empty());
        for (said, version) in [
            ("nginx version: nginx/1.22.1\n", Some("1.22.1")),
            (
                "wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012 Will Glozer\n",
                Some("4.1.0-3+b2"),
            ),
            ("This is ApacheBench, Version 2.3 <$Revision: 1903618 $>\n", Some("2.3")),
            ("valgrind-3.19.0\n", Some("3.19.0")),
            ("no version\n", None),
        ] {
            assert_eq!(number(said).as_deref(), version, "{said}");
        }
    }

    #[test]
    fn a_machine_tells_its_facts() {
        let machine = Machine::here(Path::new(env!("CARGO_MANIFEST_DIR")));
        assert!(machine.cores > 0 && machine.rustc.starts_with("rustc "), "{machine:?}");
    }
}
