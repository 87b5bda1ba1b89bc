//! The probe as a process: what its command line and its environment do, and how it starts and ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

fn probe() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_probe"));
    command
        .env_remove("POLYWIRE_LISTEN")
        .env_remove("POLYWIRE_LOG")
        .env_remove("NO_COLOR");
    command
}

/// A probe that listens on a free port, killed at the end of the test.
struct Running {
    process: Child,
    log: BufReader<ChildStderr>,
    start: String,
    address: String,
}

impl Running {
    fn new(command: &mut Command) -> Self {
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut start = String::new();
        log.read_line(&mut start).unwrap();
        let address = start
            .split("http://")
            .nth(1)
            .unwrap_or_else(|| panic!("no address in {start:?}"));
        let address = address.split_whitespace().next().unwrap().to_owned();
        Self {
            process,
            log,
            start,
            address,
        }
    }

    fn ask(&self, target: &str) -> String {
        let mut socket = TcpStream::connect(&self.address).unwrap();
        write!(socket, "GET {target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends a signal, waits for the end, and gives the exit code and the rest of the log.
    #[cfg(unix)]
    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        (self.process.wait().unwrap().code(), rest)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The transport that runs: where both are built in, fast.
fn transport() -> &'static str {
    let transport = std::cell::Cell::new("hyper");
    polywire::if_fast! { transport.set("fast"); }
    transport.get()
}

/// The one line a start that must fail says, after `error: `.
fn failure(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = String::from_utf8(stderr).unwrap();
    assert_eq!((status.code(), &*stdout), (Some(1), &b""[..]), "{said}");
    let line = said
        .strip_prefix("error: ")
        .unwrap_or_else(|| panic!("{said:?}"))
        .trim_end_matches('\n');
    assert!(!line.contains('\n'), "more than one line: {said}");
    line.to_owned()
}

#[test]
fn it_says_where_it_listens_and_answers_there() {
    let running = Running::new(probe().args(["--listen", "127.0.0.1:0"]));
    let (_, line) = running.start.split_once("  INFO ").unwrap();
    let said = format!(
        "polywire: listening on http://{} transport={:?} routes=",
        running.address,
        transport()
    );
    let routes = line.strip_prefix(&said).and_then(|routes| routes.strip_suffix('\n'));
    assert!(routes.is_some_and(|routes| routes.parse::<u32>().is_ok()), "{line:?}");
    let answer = running.ask("/users/7");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\n{\"id\":7,\"name\":\"ann\"}"), "{answer}");
}

#[test]
fn the_environment_says_where_unless_the_command_line_does() {
    let running = Running::new(probe().env("POLYWIRE_LISTEN", "127.0.0.1:0"));
    assert!(running.ask("/").ends_with("ok"));
    let running = Running::new(probe().env("POLYWIRE_LISTEN", "nonsense").arg("--listen=[::1]:0"));
    assert!(running.address.starts_with("[::1]:"), "{}", running.address);
}

#[test]
fn arguments_it_does_not_know_are_not_its_own() {
    let arguments = [
        "--other",
        "public",
        "-v",
        "file",
        "--listen",
        "127.0.0.1:0",
        "--",
        "--listen",
        "nonsense",
        "--help",
    ];
    let running = Running::new(probe().args(arguments));
    assert!(running.ask("/").ends_with("ok"));
}

#[test]
fn its_own_arguments_set_limits_and_timeouts() {
    let running = Running::new(probe().args(["--listen", "127.0.0.1:0", "--head-timeout", "0.1", "--connections=1"]));
    let mut slow = TcpStream::connect(&running.address).unwrap();
    write!(slow, "GET / HTTP/1.1\r\n").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408 Request Timeout\r\n"), "{answer}");
    drop(slow);
    assert!(running.ask("/").ends_with("ok"));
    for (arguments, wanted) in [
        (&["--head-timeout"][..], "`--head-timeout` needs seconds"),
        (&["--body-timeout", "x"], "`--body-timeout` needs seconds, not \"x\""),
        (&["--write-timeout=-1"], "`--write-timeout` needs seconds, not \"-1\""),
        (
            &["--connections", "many"],
            "`--connections` needs a number, not \"many\"",
        ),
    ] {
        assert_eq!(failure(probe().args(arguments)), wanted);
    }
}

#[test]
fn help_goes_to_stdout() {
    for flag in ["--help", "-h"] {
        let Output { status, stdout, stderr } = probe().args(["--listen", "nonsense", flag]).output().unwrap();
        assert_eq!((status.code(), stderr), (Some(0), Vec::new()));
        let help = String::from_utf8(stdout).unwrap();
        for part in [
            "tests and benchmarks",
            "Usage: probe [--listen ADDR] [ARGUMENTS]",
            "--head-timeout SECONDS",
            "127.0.0.1:8080",
            "POLYWIRE_LISTEN",
            "POLYWIRE_LOG",
        ] {
            assert!(help.contains(part), "{part} is missing in\n{help}");
        }
    }
}

#[test]
fn a_port_in_use_is_one_line_even_if_polywire_itself_uses_it() {
    let running = Running::new(probe().args(["--listen", "127.0.0.1:0"]));
    let line = failure(probe().args(["--listen", &running.address]));
    assert!(
        line.starts_with(&format!("can't listen on {}: ", running.address)),
        "{line}"
    );
    assert!(
        line.contains("in use") && line.contains("another process listens there"),
        "{line}"
    );
    assert!(running.ask("/").ends_with("ok"));
}

#[test]
fn an_address_that_is_not_ours_is_one_line() {
    // RFC 5737: nobody's.
    let line = failure(probe().args(["--listen", "192.0.2.1:0"]));
    assert!(
        line.starts_with("can't listen on 192.0.2.1:0: ") && line.contains("no such address"),
        "{line}"
    );
}

#[test]
fn a_wrong_address_is_one_line_that_says_whose_it_is() {
    let line = failure(probe().args(["--listen", "8080"]));
    assert!(
        line.starts_with("`--listen` on the command line is \"8080\", which is no address"),
        "{line}"
    );
    let line = failure(probe().arg("--listen"));
    assert!(
        line.starts_with("`--listen` on the command line needs an address"),
        "{line}"
    );
    let line = failure(probe().env("POLYWIRE_LISTEN", "localhost"));
    assert!(
        line.starts_with("`POLYWIRE_LISTEN` in the environment is \"localhost\", which is"),
        "{line}"
    );
}

#[test]
fn the_log_level_is_the_environments() {
    let mut command = probe();
    let mut running = Running::new(
        command
            .args(["--listen", "127.0.0.1:0"])
            .env("POLYWIRE_LOG", "warn,polywire=debug"),
    );
    let mut line = String::new();
    running.log.read_line(&mut line).unwrap();
    assert!(
        line.contains(" DEBUG polywire: GET / name=\"index\" handler=\"probe::index\""),
        "{line}"
    );
}

#[test]
fn a_log_level_that_is_none_is_complained_about_in_a_line() {
    let mut command = probe();
    command
        .args(["--listen", "127.0.0.1:0"])
        .env("POLYWIRE_LOG", "loud")
        .stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let lines: Vec<_> = BufReader::new(process.stderr.take().unwrap())
        .lines()
        .take(2)
        .map(Result::unwrap)
        .collect();
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(
        lines[0].starts_with("POLYWIRE_LOG is \"loud\", which is no level: "),
        "{lines:?}"
    );
    assert!(lines[1].contains(" INFO polywire: listening on "), "{lines:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_cleanly() {
    for signal in ["-TERM", "-INT"] {
        let running = Running::new(probe().args(["--listen", "127.0.0.1:0"]));
        running.ask("/");
        let (code, log) = running.end(signal);
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains(" INFO polywire: stopped"), "{log}");
    }
}
