//! A process that runs out of descriptors does not spin, and is back when they return.
//!
//! The server runs in a process of its own: this test binary again, under a lower limit, with [`CHILD`] set.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::client::{Client, get};
use crate::transport::{Settings, Transport};

/// Names the transport to the child, and the limit of connections if there is one.
const CHILD: &str = "POLYWIRE_SUITE_CHILD";
/// The child's limit of descriptors.
const DESCRIPTORS: usize = 100;
/// Connections above it.
const TOO_MANY: usize = 150;

/// A server in another process. It ends when it is dropped.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    /// Starts it; `limit` is the most connections, the default if there is none.
    fn start(transport: Transport, limit: Option<usize>) -> Self {
        let binary = std::env::current_exe().expect("the test binary has a path");
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -n {DESCRIPTORS}; exec \"$0\" \"$@\"")])
            .arg(binary)
            .args(["--exact", "descriptors::child", "--nocapture", "--test-threads=1"])
            .env(CHILD, format!("{transport:?} {}", limit.unwrap_or_default()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell can be started");
        let lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let address = lines
            .map_while(Result::ok)
            .find_map(|line| line.rsplit_once("listening on ")?.1.parse().ok())
            .expect("the child says where it listens");
        Self { child, address }
    }

    /// The CPU time it has used, from the kernel's figures.
    fn cpu_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("the child lives");
        // Behind the name, which may hold anything: user and system time are fields 14 and 15 of all.
        let fields = stat.rsplit_once(')').expect("a name in brackets").1.split_whitespace();
        let ticks: u64 = fields
            .skip(11)
            .take(2)
            .map(|ticks| ticks.parse::<u64>().expect("a number"))
            .sum();
        // The unit is a hundredth of a second on every Linux that has an ABI to keep.
        Duration::from_millis(ticks * 10)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its standard input ends, and so does it; the kill is for a child that does not listen.
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the child runs; in the parent, and in every other run, it is a test that has nothing to do.
#[test]
fn child() {
    let Ok(asked) = std::env::var(CHILD) else { return };
    let (name, limit) = asked.split_once(' ').expect("a transport and a limit");
    let transport = Transport::ALL
        .into_iter()
        .find(|transport| format!("{transport:?}") == name)
        .expect("a transport that there is");
    let limit: usize = limit.parse().expect("a number");
    let server = transport.start_with(Settings::limits(|limits| {
        limits.connections = (limit > 0).then_some(limit);
    }));
    println!("listening on {}", server.address());
    // Until the parent goes.
    let _ = std::io::stdin().read_exact(&mut [0]);
}

fn exhausted(transport: Transport) {
    let process = Process::start(transport, Some(10_000));
    let mut served: Vec<Client> = Vec::new();
    let mut clients: Vec<Client> = (0..TOO_MANY).map(|_| Client::to_address(process.address)).collect();
    for client in &mut clients {
        client.send(get("/ping"));
    }
    // Those that got a descriptor are answered; of the others none is, whichever is asked.
    let mut waiting = Vec::new();
    for mut client in clients {
        if waiting.is_empty() && client.hears_within(Duration::from_secs(1)) {
            assert_eq!(client.response().status, 200);
            served.push(client);
        } else {
            waiting.push(client);
        }
    }
    assert!(
        served.len() < DESCRIPTORS && !waiting.is_empty(),
        "{} were served",
        served.len()
    );
    let (begun, before) = (Instant::now(), process.cpu_time());
    let first = waiting.first_mut().expect("some wait");
    assert!(!first.hears_within(Duration::from_secs(1)));
    let (passed, used) = (begun.elapsed(), process.cpu_time() - before);
    assert!(
        used < passed / 5,
        "{used:?} of CPU time in {passed:?} without a descriptor"
    );
    // Those it has go on.
    served[0].expect_alive();
    drop(served);
    for client in &mut waiting {
        assert_eq!(client.response().status, 200);
    }
}

/// By default the limit of connections leaves descriptors for everything else.
fn reserved(transport: Transport) {
    let process = Process::start(transport, None);
    let mut served: Vec<Client> = Vec::new();
    let mut waiting = loop {
        let mut client = Client::to_address(process.address);
        client.send(get("/ping"));
        if !client.hears_within(Duration::from_secs(1)) {
            break client;
        }
        assert_eq!(client.response().status, 200);
        served.push(client);
    };
    assert_eq!(served.len(), DESCRIPTORS - 64);
    drop(served);
    assert_eq!(waiting.response().status, 200);
}

on_every_transport! { exhausted, reserved, }
