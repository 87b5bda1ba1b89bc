//! The layer of connections that stay: clients of events, which all get one each second, and WebSockets on which nothing happens.

use std::collections::BTreeSet;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use super::Options;
use super::client::Client;
use super::loopback::column;
use super::memory;
use super::process;
use super::rounds::{Figures, Measure, in_rounds};
use super::run::{Better, Column, Table};
use super::servers::{self, AXUM, Running, Server};

const LISTENERS: usize = 10_000;
const SOCKETS: usize = 5_000;
const DESCRIPTORS: u64 = LISTENERS as u64 + 200;
/// How long events are counted.
const COUNTED: Duration = Duration::from_secs(10);

const LISTEN: &str = "GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n";
/// The key is RFC 6455's own.
const UPGRADE: &str = "GET /ws HTTP/1.1\r\nhost: localhost\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
                       sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// What clients cost that stay: of events, and of a WebSocket.
pub(super) fn lasting(options: &Options) -> Result<Vec<Table>, String> {
    if let Err(few) = process::allow_descriptors(DESCRIPTORS) {
        eprintln!("lasting is left out: {few}");
        return Ok(Vec::new());
    }
    let servers = servers::built_of(options, AXUM, servers::lasts)?;
    let rounds = if options.quick { 1 } else { 2 };
    let drawn = |name: &str, unit: &str| Column {
        drawn: true,
        ..column(name, unit, Better::Less, 0)
    };
    let failures = || column("failures", "", Better::Less, 0);
    let events = Table {
        name: "events".to_owned(),
        title: format!("`/events`: {LISTENERS} clients, an event each second"),
        about: format!(
            "{rounds} x {} s. A client is what the resident memory grew by, for each of them. CPU is the server's, user and system. Lost \
             are events that a client should have got by the end, of all clients.",
            COUNTED.as_secs()
        ),
        rows_are: "server".to_owned(),
        base: Some(AXUM.to_owned()),
        columns: vec![
            drawn("a client", "B"),
            column("CPU/event", "µs", Better::Less, 2),
            column("CPU", "% of a core", Better::Less, 1),
            column("lost", "", Better::Less, 0),
            failures(),
        ],
        rows: Vec::new(),
    };
    let sockets = Table {
        name: "sockets".to_owned(),
        title: format!("`/ws`: {SOCKETS} WebSockets on which nothing happens"),
        about: format!("{rounds} rounds. A socket is what the resident memory grew by, for each of them."),
        columns: vec![drawn("a socket", "B"), failures()],
        ..events.clone()
    };
    let measures = vec![
        Measure {
            table: events,
            takes_part: Box::new(|_| true),
            sample: Box::new(sample_events),
        },
        Measure {
            table: sockets,
            takes_part: Box::new(|_| true),
            sample: Box::new(|server: &Server| {
                let held = memory::hold_idle(server, SOCKETS, |client| is(client, UPGRADE, 101))?;
                Ok(vec![Some(held.each()), Some(held.lost)])
            }),
        },
    ];
    in_rounds("lasting", rounds, &servers, measures)
}

/// Whether a request is answered with this status.
fn is(client: &mut Client, request: &str, status: u16) -> io::Result<bool> {
    Ok(client.begin(request.as_bytes())?.status == status)
}

fn sample_events(server: &Server) -> Figures {
    let running = server.start()?;
    let mut held = memory::hold(&running, LISTENERS, |client| is(client, LISTEN, 200))?;
    let (seconds, cpu) = busy(&running);
    let (mut failures, mut seen) = (held.lost, Vec::new());
    for client in &mut held.clients {
        match client.come() {
            Ok(come) => seen.push(ids(&come)),
            Err(_) => failures += 1.0,
        }
    }
    let figures = [
        held.each(),
        cpu * 1e6 / (LISTENERS as f64 * seconds),
        cpu / seconds * 100.0,
        missing(&seen) as f64,
        failures,
    ];
    Ok(figures.map(Some).to_vec())
}

/// For how long the server was left to itself, and what it used meanwhile.
fn busy(server: &Running<'_>) -> (f64, f64) {
    let (begun, before) = (Instant::now(), server.process.cpu());
    thread::sleep(COUNTED);
    let cpu = server.process.cpu().since(before).whole();
    (begun.elapsed().as_secs_f64(), cpu)
}

/// The ids of the events that have come.
fn ids(come: &[u8]) -> BTreeSet<u64> {
    let text = String::from_utf8_lossy(come);
    let lines = text.lines().filter_map(|line| line.strip_prefix("id:"));
    lines.filter_map(|id| id.trim().parse().ok()).collect()
}

/// How many events clients did not get, from the first that each of them got to the last but one that any got: the last may be on
/// its way to some.
fn missing(seen: &[BTreeSet<u64>]) -> usize {
    let Some(last) = seen.iter().filter_map(BTreeSet::last).max() else {
        return 0;
    };
    let missing = |ids: &BTreeSet<u64>| match ids.first() {
        Some(first) => (*first..*last).filter(|id| !ids.contains(id)).count(),
        None => COUNTED.as_secs() as usize,
    };
    seen.iter().map(missing).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_by_their_ids() {
        let come = b"5\r\nid: 7\nevent: tick\ndata: 7\n\n\r\nid:8\ndata: id: 9\n\n: quiet\n\n";
        assert_eq!(ids(come), [7, 8].into());
    }

    #[test]
    fn what_is_missing_is_what_others_got() {
        let seen: Vec<BTreeSet<u64>> = vec![[3, 4, 5, 6].into(), [4, 5].into(), [3, 5, 6].into()];
        assert_eq!(missing(&seen), 1);
        assert_eq!(missing(&[BTreeSet::new(), [1, 2].into()]), COUNTED.as_secs() as usize);
        assert_eq!(missing(&[]), 0);
    }
}
