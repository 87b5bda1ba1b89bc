//! Clients that send requests as fast as they are taken, and never read an answer: what they make the server hold, whether the others
//! are still served, and when it has had enough.

use std::time::{Duration, Instant};

use crate::Form;
use crate::client::get;
use crate::honest::Honest;
use crate::report::{Row, bytes};
use crate::server::{Program, Server, Start};
use crate::socket::{Sent, Socket};

/// What one of them may make the server hold: twice the answers that may wait, as buffers double when they grow.
const EACH: u64 = 512 << 10;
/// How much later than the write timeout they may be cut.
const SLACK: Duration = Duration::from_secs(5);
/// How often the server is looked at.
const LOOK: Duration = Duration::from_millis(50);

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let clients = form.pick(200, 50);
    let timeout = Duration::from_secs(form.pick(30, 3));
    let start = Start {
        arguments: form.timeouts(&[("--write-timeout", timeout)]),
        ..Start::default()
    };
    let server = Server::start(program, &start)?;
    let honest = Honest::start(server.address(), 10, Duration::from_millis(20));
    honest.during(Duration::from_millis(200));
    let (before, without) = (server.memory()?, server.descriptors()?);

    let batch = get("/users/42").repeat(200).into_bytes();
    let begun = Instant::now();
    let mut flooding = (0..clients)
        .map(|_| Flooding::connect(&server))
        .collect::<Result<Vec<Flooding>, String>>()?;
    let mut most = before;
    let mut looked = begun;
    let all_gone = loop {
        let sent: usize = flooding.iter_mut().map(|client| client.send(&batch)).sum();
        if sent == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        if looked.elapsed() > LOOK {
            looked = Instant::now();
            most = most.max(server.memory()?);
            if flooding.iter().all(|client| client.socket.is_none()) && server.descriptors()? <= without {
                break true;
            }
        }
        // One after the other they may have been filled; a server that goes on taking does not end.
        if begun.elapsed() > (timeout + SLACK) * 2 {
            break false;
        }
    };
    let each = most.saturating_sub(before) / clients;
    let sent: u64 = flooding.iter().map(|client| client.sent).sum();
    let cut = flooding.iter().map(|client| client.stood).max().filter(|_| all_gone);
    let mut rows = vec![
        Row::told("sent by each, in all", bytes(sent / clients)),
        Row::told(
            "memory before, and at most",
            format!("{}, {}", bytes(before), bytes(most)),
        ),
        Row::judged(
            format!("growth for each of {clients}"),
            bytes(each),
            format!("under {}", bytes(EACH)),
            each < EACH,
        ),
        Row::happened("all cut, each after its last byte", cut, timeout + SLACK),
    ];
    rows.extend(honest.rows());
    Ok(rows)
}

/// One of them.
struct Flooding {
    /// `None`: it was cut.
    socket: Option<Socket>,
    sent: u64,
    /// When the server took the last byte, and how long it then stood still until it was cut.
    taken: Instant,
    stood: Duration,
    /// How far it is in the batch.
    at: usize,
}

impl Flooding {
    fn connect(server: &Server) -> Result<Self, String> {
        let socket = Socket::connect(server.address()).map_err(|why| format!("connecting: {why}"))?;
        Ok(Self {
            socket: Some(socket),
            sent: 0,
            taken: Instant::now(),
            stood: Duration::ZERO,
            at: 0,
        })
    }

    /// Sends what is taken, a batch at most; how much that was.
    fn send(&mut self, batch: &[u8]) -> usize {
        let Some(socket) = &mut self.socket else { return 0 };
        match socket.send(&batch[self.at..]) {
            Sent::Bytes(count) => {
                self.at = (self.at + count) % batch.len();
                self.sent += count as u64;
                if count > 0 {
                    self.taken = Instant::now();
                }
                count
            }
            Sent::Gone => {
                self.socket = None;
                self.stood = self.taken.elapsed();
                0
            }
        }
    }
}
