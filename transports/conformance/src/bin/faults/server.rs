//! A server as a process: started on a free port, read through `/proc`, ended with its owner.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a server may take to say where it listens.
const START: Duration = Duration::from_secs(10);
/// How often something that is waited for is looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Descriptors this program needs for itself and each server it starts.
const DESCRIPTORS: u64 = 2500;

/// What a server is started from.
pub(crate) struct Program {
    /// As the report calls it.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// How it is started.
pub(crate) struct Start {
    pub(crate) listen: SocketAddr,
    /// The process's limit; `None`: as this one's.
    pub(crate) descriptors: Option<u32>,
    /// The program's own.
    pub(crate) arguments: Vec<String>,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            descriptors: None,
            arguments: Vec::new(),
        }
    }
}

/// A server that runs. It is killed when this is dropped.
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<Vec<String>>>,
    /// Reads it, until the process ends.
    reading: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts one and waits until it listens.
    pub(crate) fn start(program: &Program, start: &Start) -> Result<Self, String> {
        let path = program.path.display();
        let mut command = match start.descriptors {
            None => Command::new(&program.path),
            Some(limit) => {
                let mut shell = Command::new("sh");
                shell
                    .args(["-c", &format!("ulimit -n {limit} && exec \"$0\" \"$@\"")])
                    .arg(&program.path);
                shell
            }
        };
        command
            .args(["--listen", &start.listen.to_string()])
            .args(&start.arguments)
            .env_remove("POLYWIRE_LISTEN")
            .env("POLYWIRE_LOG", "info")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|why| format!("{path} can't be started: {why}"))?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let (listens, reading) = read_log(child.stderr.take().expect("it is piped"), log.clone());
        let mut server = Self {
            child,
            address: start.listen,
            log,
            reading: Some(reading),
        };
        server.address = listens
            .recv_timeout(START)
            .map_err(|_| format!("{path} did not say where it listens{}", server.last_words()))?;
        Ok(server)
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Bytes of memory that are its own and in use (`VmRSS`).
    pub(crate) fn memory(&self) -> Result<u64, String> {
        let status = self.proc("status")?;
        let kib = status
            .lines()
            .find_map(|line| {
                line.strip_prefix("VmRSS:")?
                    .strip_suffix("kB")?
                    .trim()
                    .parse::<u64>()
                    .ok()
            })
            .ok_or_else(|| format!("the server has no memory left{}", self.last_words()))?;
        Ok(kib * 1024)
    }

    /// The CPU time it has used so far.
    pub(crate) fn cpu_time(&self) -> Result<Duration, String> {
        let stat = self.proc("stat")?;
        // Behind the name, which may hold anything: user and system time are fields 14 and 15 of all.
        let (_, fields) = stat.rsplit_once(')').ok_or("a process has no name")?;
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
        // The unit is a hundredth of a second on every Linux that has an ABI to keep.
        Ok(Duration::from_millis(ticks * 10))
    }

    /// How many descriptors it has open.
    pub(crate) fn descriptors(&self) -> Result<usize, String> {
        let path = format!("/proc/{}/fd", self.child.id());
        std::fs::read_dir(path)
            .map(Iterator::count)
            .map_err(|why| format!("the server is gone: {why}{}", self.last_words()))
    }

    /// Waits until it has no more descriptors than this; how long that took, or `None` if it has more at the deadline.
    pub(crate) fn has_descriptors_within(
        &self,
        most: usize,
        since: Instant,
        limit: Duration,
    ) -> Result<Option<Duration>, String> {
        loop {
            let after = since.elapsed();
            if self.descriptors()? <= most {
                return Ok(Some(after));
            }
            if after > limit {
                return Ok(None);
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Lines it has logged so far.
    pub(crate) fn log_lines(&self) -> usize {
        lock(&self.log).len()
    }

    /// Whether it has logged a line with this in it.
    pub(crate) fn has_logged(&self, part: &str) -> bool {
        lock(&self.log).iter().any(|line| line.contains(part))
    }

    /// Gets ready to ask it to stop, as an operator does.
    pub(crate) fn trigger(&self) -> Result<Trigger, String> {
        let shell = Command::new("sh")
            .args(["-c", &format!("read -r go && kill -TERM {}", self.child.id())])
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|why| format!("a shell can't be started: {why}"))?;
        Ok(Trigger { shell })
    }

    /// Waits for its end; `None` if it still runs at the deadline.
    pub(crate) fn ends_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                // The rest of the log is there.
                if let Some(reading) = self.reading.take() {
                    let _ = reading.join();
                }
                return Some(status);
            }
            if begun.elapsed() > limit {
                return None;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// `kill -9`; it is gone when this returns.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // Both fail only if it has ended by itself and was waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn proc(&self, file: &str) -> Result<String, String> {
        std::fs::read_to_string(format!("/proc/{}/{file}", self.child.id()))
            .map_err(|why| format!("the server is gone: {why}{}", self.last_words()))
    }

    /// The end of its log, for an error.
    fn last_words(&self) -> String {
        lock(&self.log)
            .last()
            .map_or_else(String::new, |line| format!("; its log ends with {line:?}"))
    }
}

/// A shell that sends SIGTERM, started before it matters how long that takes.
pub(crate) struct Trigger {
    shell: Child,
}

impl Trigger {
    /// Sends it.
    pub(crate) fn pull(mut self) -> Result<(), String> {
        let said = self.shell.stdin.take().expect("it is piped").write_all(b"go\n");
        match said.and_then(|()| self.shell.wait()) {
            Ok(status) if status.success() => Ok(()),
            _ => Err("the server can't be sent a signal".to_owned()),
        }
    }
}

impl Drop for Trigger {
    fn drop(&mut self) {
        // Without its line it ends by itself.
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// Collects the log until the process ends; the address in it comes through the channel.
fn read_log(from: ChildStderr, into: Arc<Mutex<Vec<String>>>) -> (Receiver<SocketAddr>, JoinHandle<()>) {
    let (tell, listens) = sync_channel(1);
    let reading = std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            if let Some(address) = address(&line) {
                // Only the first is waited for.
                let _ = tell.try_send(address);
            }
            lock(&into).push(line);
        }
    });
    (listens, reading)
}

fn address(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("listening on http://")?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Whether this process may have as many descriptors as the faults need.
///
/// # Errors
/// It may not, or there is no `/proc`.
pub(crate) fn check_own_limit() -> Result<(), String> {
    let limits = std::fs::read_to_string("/proc/self/limits")
        .map_err(|why| format!("faults are measured through /proc, which only Linux has: {why}"))?;
    let soft = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files")?.split_whitespace().next());
    let enough = match soft {
        Some("unlimited") | None => true,
        Some(number) => number.parse::<u64>().is_ok_and(|number| number >= DESCRIPTORS),
    };
    match enough {
        true => Ok(()),
        false => Err(format!("too few descriptors: run `ulimit -n {DESCRIPTORS}` first")),
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_stands_in_the_log() {
        let line =
            "2026-01-01T00:00:00Z  INFO polywire: listening on http://127.0.0.1:4711 transport=\"hyper\" routes=6";
        assert_eq!(address(line), Some((Ipv4Addr::LOCALHOST, 4711).into()));
        assert_eq!(address("INFO polywire: stopped"), None);
    }
}
