//! README.md is true: its application is built outside this workspace, its commands are run, its errors provoked, its
//! tables compared.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use polywire::{Limits, Timeouts, problem};

const README: &str = include_str!("../../../README.md");
const MANIFEST: &str = include_str!("../Cargo.toml");

/// A fenced block, and the file it is: the line above it, if that is one word as code.
struct Block {
    language: &'static str,
    file: Option<&'static str>,
    text: &'static str,
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut rest = README;
    while let Some((before, after)) = rest.split_once("\n```") {
        let (language, after) = after.split_once('\n').unwrap();
        let (text, after) = after.split_once("\n```\n").expect("every block ends");
        let above = before.trim_end().lines().last().unwrap_or_default();
        let file = above.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
        blocks.push(Block { language, file, text });
        rest = after;
    }
    blocks
}

/// The only block that holds a text.
fn block(holding: &str) -> &'static str {
    let found: Vec<_> = blocks()
        .into_iter()
        .filter(|block| block.text.contains(holding))
        .collect();
    assert_eq!(found.len(), 1, "{holding:?} should be in one block");
    found[0].text
}

/// The error that a block shows, with the line of the compiler around it.
fn error(holding: &str) -> &'static str {
    let found = blocks()
        .into_iter()
        .find(|block| block.language == "text" && block.text.contains(holding));
    found.unwrap_or_else(|| panic!("no error holds {holding:?}")).text
}

/// Where the README stands.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// The application of the README, in a folder of its own.
struct Shop(PathBuf);

impl Shop {
    fn new() -> Self {
        let root = root();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme/shop");
        let _ = fs::remove_dir_all(&folder);
        let shop = Self(folder);
        let mut files = 0;
        for block in blocks() {
            let Some(file) = block.file else {
                continue;
            };
            // Where the reader's clone is; the longer path first, as it holds the shorter one.
            let clone = root.to_str().unwrap();
            shop.write(
                file,
                &block
                    .text
                    .replace("../../polywire", clone)
                    .replace("../polywire", clone),
            );
            files += 1;
        }
        assert_eq!(files, 5, "files of an application");
        // The versions that this workspace was built with, which are on this machine.
        let _ = fs::copy(root.join("Cargo.lock"), shop.0.join("Cargo.lock"));
        shop
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn cargo(&self, arguments: &str) -> Output {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme/target");
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(arguments.split(' '))
            .current_dir(&self.0)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .output()
            .unwrap()
    }

    fn succeeds(&self, arguments: &str) {
        let output = self.cargo(arguments);
        assert!(output.status.success(), "cargo {arguments}\n{}", both(&output));
    }

    fn fails(&self, arguments: &str, saying: &str) {
        let output = self.cargo(arguments);
        assert!(!output.status.success(), "cargo {arguments} should fail");
        assert!(
            both(&output).contains(saying),
            "cargo {arguments} should say {saying:?}:\n{}",
            both(&output)
        );
    }
}

fn both(output: &Output) -> String {
    [&output.stdout, &output.stderr]
        .map(|text| String::from_utf8_lossy(text))
        .concat()
}

#[test]
fn the_application_of_the_readme_is_built_and_tested() {
    const RUN: &str = "App::new(generated::Routes::new()).run()";
    let shop = Shop::new();
    let first = fs::read_to_string(shop.0.join("src/main.rs")).unwrap();
    shop.fails("check", error("does not exist yet"));
    shop.succeeds("xtask generate");
    shop.succeeds("test");
    for command in [
        "xtask generate --check",
        "xtask routes",
        "xtask routes --json",
        "xtask explain GET /books/7",
    ] {
        shop.succeeds(command);
    }
    // A second handler, more tests, and settings.
    assert!(first.contains(RUN));
    let settings = format!("{{ {} }}", block(".limits(Limits"));
    let tests = format!("#[cfg(test)]\nmod more {{\nuse super::*;\n{}\n}}", block("fn books()"));
    let second = [&*first.replace(RUN, &settings), block("async fn greet"), &tests].join("\n");
    shop.write("src/main.rs", &second);
    shop.fails("check", error("is not in src/generated"));
    shop.succeeds("xtask generate");
    shop.succeeds("test");
    shop.succeeds("test --features transport-fast");
    shop.succeeds("test --no-default-features --features transport-fast");
    // State, a chain, and errors: applications of their own.
    for main in [block("state: Shop"), block("NoStore"), block("OwnErrors")] {
        shop.write("src/main.rs", &format!("use polywire::prelude::*;\n{main}"));
        shop.succeeds("xtask generate");
        shop.succeeds("check");
    }
}

#[test]
fn helloworld_answers_as_the_readme_says() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_helloworld"))
        .args(["--listen", "127.0.0.1:0"])
        .env_remove("POLYWIRE_LOG")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut start = String::new();
    BufReader::new(process.stderr.take().unwrap())
        .read_line(&mut start)
        .unwrap();
    let address = start.split("http://").nth(1).unwrap().split(' ').next().unwrap();
    let transport = if cfg!(feature = "transport-fast") {
        "fast"
    } else {
        "hyper"
    };
    assert!(start.contains(&format!("transport=\"{transport}\"")), "{start}");
    let mut lines = block("$ curl").lines();
    while let (Some(command), Some(answer)) = (lines.next(), lines.next()) {
        let target = command.strip_prefix("$ curl http://127.0.0.1:8080").unwrap();
        assert_eq!(ask(address, target), answer);
    }
    // HTTP/2 by prior knowledge: hyper answers with frames, the first of which is of type 4.
    let (mut socket, mut answer) = (TcpStream::connect(address).unwrap(), [0; 12]);
    socket
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .unwrap();
    socket.read_exact(&mut answer).unwrap();
    match transport {
        "fast" => assert_eq!(answer, *b"HTTP/1.1 505"),
        _ => assert_eq!(answer[3], 4, "{}", answer.escape_ascii()),
    }
    process.kill().unwrap();
    process.wait().unwrap();
}

/// The content of an answer.
fn ask(address: &str, target: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    write!(socket, "GET {target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// Longer handlers are the probe's, which the suites of both transports talk to.
#[test]
fn what_streams_is_compiled_elsewhere() {
    let probe = include_str!("../../probe/src/lib.rs");
    let streams = block("async fn upload");
    for handler in streams.split("\n\n") {
        assert!(probe.contains(handler), "{handler}");
    }
    let manifest = include_str!("../../../runtime/polywire/Cargo.toml");
    for feature in table("is a feature of polywire:\n\n| feature | |").keys() {
        assert!(manifest.contains(&format!("\n{feature} = [")), "{feature}");
    }
}

#[test]
fn the_first_commands_name_what_is_there() {
    let commands = block("cargo run --release -p helloworld");
    assert!(
        commands.lines().any(|line| line == "cargo test --workspace"),
        "{commands}"
    );
    assert_eq!(env!("CARGO_PKG_NAME"), "helloworld");
    let runs = commands.lines().filter(|line| line.starts_with("cargo run"));
    for features in runs.filter_map(|line| line.split_once("--features ")) {
        assert!(MANIFEST.contains(&format!("\n{} = ", features.1)), "{features:?}");
    }
}

#[test]
fn every_command_of_this_workspace_is_there() {
    let root = root();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let help = Command::new(cargo).args(["xtask", "help"]).current_dir(root).output();
    let help = both(&help.unwrap());
    let mut commands = 0;
    for after in README.split("cargo xtask ").skip(1) {
        let name = after.split([' ', '`', '\n', ';']).next().unwrap();
        let listed = help.lines().any(|line| line.trim_start().starts_with(name));
        assert!(listed, "`{name}` is no command:\n{help}");
        commands += 1;
    }
    assert!(commands >= 5, "{commands} commands");
}

#[test]
fn every_file_of_this_workspace_is_there() {
    let links = README.split("](").skip(1).map(|after| after.split(')').next().unwrap());
    let links = links.filter(|link| !link.contains("://"));
    let names = README.split('`').filter(|text| text.starts_with("examples/"));
    let missing: Vec<_> = links.chain(names).filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_setting_from_outside_is_in_the_table_and_in_the_help() {
    let output = Command::new(env!("CARGO_BIN_EXE_helloworld"))
        .arg("--help")
        .output()
        .unwrap();
    let (help, table) = (both(&output), table("| | on the command line |"));
    assert_eq!(table.get("address and port"), Some(&"`--listen ADDR`"));
    for setting in ["--listen ADDR", "POLYWIRE_LISTEN", "POLYWIRE_LOG", "127.0.0.1:8080"] {
        assert!(help.contains(setting), "{setting}:\n{help}");
        assert!(README.contains(&format!("`{setting}`")), "{setting}");
    }
}

#[test]
fn every_profile_is_there() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for after in README.split("--profile ").skip(1) {
        let name = after.split(['`', ' ']).next().unwrap();
        assert!(workspace.contains(&format!("[profile.{name}]")), "{name}");
    }
    assert!(MANIFEST.contains("release_max_level_info"));
}

#[test]
fn every_problem_is_in_the_table() {
    let rows: Vec<_> = README
        .lines()
        .filter(|line| line.contains("`urn:polywire:problem:"))
        .collect();
    let kinds = problem::kind::ALL.iter().map(|kind| {
        format!(
            "| {} | `{}` | {} |",
            kind.status().as_u16(),
            kind.type_uri(),
            kind.title()
        )
    });
    assert_eq!(rows, kinds.collect::<Vec<_>>());
}

#[test]
fn limits_and_timeouts_have_the_defaults_of_the_tables() {
    let (mut limits, mut timeouts) = (table("| limit | default |"), table("| timeout | default |"));
    assert!(limits.remove("connections").unwrap().starts_with("the process's"));
    let limits: BTreeMap<_, _> = limits
        .into_iter()
        .map(|(name, default)| (name, number(default)))
        .collect();
    let expected = fields(&format!("{:?}", Limits::default()));
    let expected = expected.into_iter().filter(|(name, _)| name != "connections");
    let expected: BTreeMap<_, _> = expected.map(|(name, value)| (name, value.parse().unwrap())).collect();
    assert_eq!(limits, expected);

    assert!(timeouts.remove("body_rate").unwrap().starts_with("1024 bytes"));
    let timeouts: BTreeMap<_, _> = timeouts
        .into_iter()
        .map(|(name, default)| (name, default.replace(' ', "")))
        .collect();
    let mut expected = fields(&format!("{:?}", Timeouts::default()));
    assert_eq!(expected.remove("body_rate").as_deref(), Some("1024"));
    assert_eq!(timeouts, expected);
}

/// The names and defaults of the table that begins like this.
fn table(start: &str) -> BTreeMap<String, &'static str> {
    let (_, table) = README.split_once(start).unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').map(str::trim).skip(1));
    cells
        .map(|mut cells| (cells.next().unwrap().replace('`', ""), cells.next().unwrap()))
        .collect()
}

/// The fields of a struct of plain values, as its `Debug` shows them.
fn fields(debug: &str) -> BTreeMap<String, String> {
    let (_, fields) = debug.split_once(" { ").unwrap();
    let fields = fields
        .trim_end_matches(" }")
        .split(", ")
        .map(|field| field.split_once(": ").unwrap());
    fields
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// The number a text begins with, in bytes if it has such a unit.
fn number(text: &str) -> usize {
    let mut words = text.split([' ', ',']);
    let number: usize = words.next().unwrap().parse().unwrap();
    match words.next() {
        Some("KiB") => number << 10,
        Some("MiB") => number << 20,
        _ => number,
    }
}
