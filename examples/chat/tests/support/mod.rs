//! The chat as a process of its own, on whichever transport is built.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

/// A chat that listens on a free port, ended with the test.
pub(crate) struct Chat {
    process: Child,
    log: BufReader<ChildStderr>,
    /// Where it listens: `127.0.0.1:41234`.
    pub(crate) address: String,
}

impl Chat {
    /// Starts one.
    pub(crate) fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_chat"))
            .args(["--listen", "127.0.0.1:0"])
            .env_remove("POLYWIRE_LOG")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap());
        let mut start = String::new();
        log.read_line(&mut start).unwrap();
        let address = start
            .split("http://")
            .nth(1)
            .and_then(|rest| rest.split_whitespace().next());
        let address = address.unwrap_or_else(|| panic!("no address in {start:?}")).to_owned();
        let transport = std::cell::Cell::new("hyper");
        polywire::if_fast! { transport.set("fast"); }
        assert!(start.contains(&format!("transport=\"{}\"", transport.get())), "{start}");
        Self { process, log, address }
    }

    /// Tells it to go down, and waits for nothing.
    pub(crate) fn stop(&self) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    }

    /// Waits for its end, which is a clean one, and gives the rest of its log.
    pub(crate) fn ended(mut self) -> String {
        let mut rest = String::new();
        self.log.read_to_string(&mut rest).unwrap();
        assert!(self.process.wait().unwrap().success(), "{rest}");
        rest
    }
}

impl Drop for Chat {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
