//! Clients that connect and reset, at once or with a request under way: nothing of them may stay.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::Form;
use crate::client::get;
use crate::honest::Honest;
use crate::report::{Row, bytes};
use crate::server::{Program, Server, Start};
use crate::socket::{Heard, Socket};

/// How many do it at the same time.
const THREADS: usize = 4;
/// How long a reset connection's descriptor may stay.
const BACK: Duration = Duration::from_secs(5);
/// What a storm may leave behind that came after one of the same kind: no more than an allocator's whims.
const LEFT: u64 = 4 << 20;

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let each = form.pick(5000, 1000);
    let server = Server::start(program, &Start::default())?;
    let honest = Honest::start(server.address(), 10, Duration::from_millis(20));
    honest.during(Duration::from_millis(200));
    let before = server.descriptors()?;

    let begun = Instant::now();
    storm(server.address(), each)?;
    let rate = (THREADS * each) as f64 / begun.elapsed().as_secs_f64();
    let first = server.has_descriptors_within(before, Instant::now(), BACK)?;
    let after_one = server.memory()?;
    storm(server.address(), each)?;
    let second = server.has_descriptors_within(before, Instant::now(), BACK)?;
    let after_two = server.memory()?;

    let left = after_two.saturating_sub(after_one);
    let mut rows = vec![
        Row::told("connections, in two storms", 2 * THREADS * each),
        Row::told("in a second", format!("{rate:.0}")),
        Row::happened(format!("back to {before} descriptors, after the first"), first, BACK),
        Row::happened("after the second", second, BACK),
        Row::judged(
            "memory left behind by the second",
            bytes(left),
            format!("at most {}", bytes(LEFT)),
            left <= LEFT,
        ),
    ];
    rows.extend(honest.rows());
    Ok(rows)
}

fn storm(address: SocketAddr, each: usize) -> Result<(), String> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|_| scope.spawn(move || (0..each).try_for_each(|at| connect_and_reset(address, at))))
            .collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a client panicked".to_owned())?)
    })
}

/// One connection, each with something else under way.
fn connect_and_reset(address: SocketAddr, at: usize) -> Result<(), String> {
    let mut socket = Socket::connect(address).map_err(|why| format!("connecting: {why}"))?;
    let request = match at % 8 {
        0 => String::new(),
        1 => "GET /users/42 HT".to_owned(),
        2 => get("/users/42"),
        3 => get("/large"),
        4 => "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nhalf".to_owned(),
        5 => "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nha".to_owned(),
        6 => get("/users/42").repeat(50),
        // Refused, and lingering when the reset comes.
        _ => "GET / HTTP/1.0\r\nContent-Length: x\r\n\r\n".to_owned(),
    };
    socket.send(request.as_bytes());
    // Half of them at once, before the server knows of it; the others when something has come, if it does.
    if at % 16 >= 8 {
        let begun = Instant::now();
        while socket.hear(&mut [0; 4096]) == Heard::Nothing && begun.elapsed() < Duration::from_millis(2) {
            std::thread::yield_now();
        }
    }
    socket.reset();
    Ok(())
}
