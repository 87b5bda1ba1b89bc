//! Clients that ask for a large answer and never read it: what they make the server hold, and when it has had enough.

use std::time::{Duration, Instant};

use crate::Form;
use crate::client::{Client, get};
use crate::honest::Honest;
use crate::report::{Row, bytes};
use crate::server::{Program, Server, Start};
use crate::socket::{Sent, Socket};

/// The size of the answer.
const LARGE: usize = 10 << 20;
/// What one of them may make the server hold.
const EACH: u64 = 64 << 10;
/// How much later than the write timeout they may be cut.
const SLACK: Duration = Duration::from_secs(5);
/// How often the server is looked at.
const LOOK: Duration = Duration::from_millis(50);

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let readers = form.pick(500, 100);
    let timeout = Duration::from_secs(form.pick(30, 3));
    let start = Start {
        arguments: form.timeouts(&[("--write-timeout", timeout)]),
        ..Start::default()
    };
    let server = Server::start(program, &start)?;
    // Whoever does read it has all of it; and it is in memory from now on.
    let whole: Vec<u8> = (0..LARGE).map(|at| (at % 251) as u8).collect();
    let read = Client::connect(server.address())
        .map_err(|why| format!("connecting: {why}"))?
        .ask("/large", &whole);
    let mut rows = vec![Row::none(
        "answers that were not whole, to one who reads",
        read.err().as_slice(),
    )];
    drop(whole);

    let honest = Honest::start(server.address(), 10, Duration::from_millis(20));
    honest.during(Duration::from_millis(200));
    let (before, without) = (server.memory()?, server.descriptors()?);
    let begun = Instant::now();
    let request = get("/large");
    let mut sockets = Vec::new();
    for _ in 0..readers {
        let mut socket = Socket::connect(server.address()).map_err(|why| format!("connecting: {why}"))?;
        if socket.send(request.as_bytes()) != Sent::Bytes(request.len()) {
            return Err("a request can't be sent".to_owned());
        }
        sockets.push(socket);
    }
    let mut most = before;
    let cut = loop {
        most = most.max(server.memory()?);
        let after = begun.elapsed();
        sockets.retain(|socket| !socket.is_reset());
        if sockets.is_empty() && server.descriptors()? <= without {
            break Some(after);
        }
        if after > timeout + SLACK {
            break None;
        }
        std::thread::sleep(LOOK);
    };
    let each = (most - before) / readers;
    rows.push(Row::told(
        "memory before, and at most",
        format!("{}, {}", bytes(before), bytes(most)),
    ));
    rows.push(Row::judged(
        format!("growth for each of {readers}"),
        bytes(each),
        format!("under {}", bytes(EACH)),
        each < EACH,
    ));
    rows.push(Row::happened("all cut after", cut, timeout + SLACK));
    rows.extend(honest.rows());
    Ok(rows)
}
