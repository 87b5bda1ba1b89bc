//! The layers that load servers over sockets of this machine: `loopback`, `ab` and `waiting`; `files.rs` has those of files.

use super::Options;
use super::answers::{USER, WAIT};
use super::client::Client;
use super::load::{self, Load, Loaded, PERCENTILES, PERCENTILES_OF_AB};
use super::process;
use super::rounds::{Measure, in_rounds};
use super::run::{Better, Column, Table};
use super::servers::{self, BASE, Server};

pub(super) const SECONDS: u64 = 1;
const AB_CONNECTIONS: usize = 100;
pub(super) const DESCRIPTORS: u64 = 1_200;

/// A request at a time on 1 to 500 connections, many at a time, and one for each connection.
pub(super) fn loopback(options: &Options) -> Result<Vec<Table>, String> {
    let kept = |connections| kept(USER, connections);
    let pipelined = Load {
        pipelined: 16,
        ..kept(64)
    };
    let close = Load {
        close: true,
        ..kept(64)
    };
    let loads = vec![("single", kept(64)), ("pipelined", pipelined), ("close", close)];
    if options.quick {
        return under_wrk("loopback", options, 2, loads);
    }
    let mut tables = under_wrk("loopback", options, 5, loads)?;
    let others = vec![
        ("single-1", kept(1)),
        ("single-100", kept(100)),
        ("single-500", kept(500)),
    ];
    tables.extend(under_wrk("loopback", options, 3, others)?);
    Ok(tables)
}

/// A millisecond of awaited work behind each answer.
pub(super) fn waiting(options: &Options) -> Result<Vec<Table>, String> {
    let loads = vec![("waiting", kept(WAIT, 64)), ("waiting-500", kept(WAIT, 500))];
    under_wrk("waiting", options, if options.quick { 1 } else { 3 }, loads)
}

pub(super) fn kept(target: &str, connections: usize) -> Load {
    Load {
        target: target.to_owned(),
        connections,
        pipelined: 1,
        close: false,
        seconds: SECONDS,
    }
}

/// A table for each of the loads, of the name beside it.
fn under_wrk(layer: &str, options: &Options, rounds: usize, loads: Vec<(&str, Load)>) -> Result<Vec<Table>, String> {
    process::allow_descriptors(DESCRIPTORS)?;
    let servers = servers::built(options, BASE)?;
    let measure = |(name, load): (&str, Load)| {
        let (close, target) = (load.close, load.target.clone());
        Measure {
            table: table_of(name, rounds, &load),
            takes_part: Box::new(move |server: &Server| server.answers(&target) && (server.closes() || !close)),
            sample: Box::new(move |server: &Server| {
                let server = server.start()?;
                server.warm(&load.target)?;
                let loaded = load::wrk(&server, &load)?;
                Ok(figures(&loaded, load.pipelined == 1))
            }),
        }
    };
    in_rounds(layer, rounds, &servers, loads.into_iter().map(measure).collect())
}

fn table_of(name: &str, rounds: usize, load: &Load) -> Table {
    let connections = match load.connections {
        1 => "1 connection".to_owned(),
        connections => format!("{connections} connections"),
    };
    let (how, remark) = match (load.pipelined, load.close) {
        (1, false) => ("kept, one request at a time".to_owned(), ""),
        (1, true) => ("a new one for every request".to_owned(), ""),
        (count, _) => (
            format!("{count} requests in one write"),
            " Latencies are left out: wrk can't tell those of pipelined requests.",
        ),
    };
    Table {
        name: name.to_owned(),
        title: format!("`{}`: {connections}, {how}", load.target),
        about: format!(
            "{rounds} x {} s under wrk, with one thread on the same machine. CPU is the server's, user and system.{remark}",
            load.seconds
        ),
        rows_are: "server".to_owned(),
        base: Some(BASE.to_owned()),
        columns: columns(&PERCENTILES),
        rows: Vec::new(),
    }
}

fn columns(percentiles: &[&str]) -> Vec<Column> {
    let mut columns = vec![
        Column {
            drawn: true,
            ..column("CPU/request", "µs", Better::Less, 2)
        },
        column("user", "µs", Better::Less, 2),
        column("requests/s", "", Better::More, 0),
    ];
    columns.extend(
        percentiles
            .iter()
            .map(|each| column(&format!("P{each}"), "µs", Better::Less, 0)),
    );
    columns.push(column("failures", "", Better::Less, 0));
    columns
}

pub(super) fn column(name: &str, unit: &str, better: Better, digits: usize) -> Column {
    Column {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better,
        drawn: false,
        digits,
    }
}

/// In the order of the columns.
fn figures(loaded: &Loaded, latencies: bool) -> Vec<Option<f64>> {
    let requests = loaded.requests.max(1.0);
    let mut figures = vec![
        Some(loaded.cpu.whole() * 1e6 / requests),
        Some(loaded.cpu.user * 1e6 / requests),
        Some(loaded.requests / loaded.seconds),
    ];
    figures.extend(loaded.latencies.iter().map(|&latency| latencies.then_some(latency)));
    figures.push(Some(loaded.failures));
    figures
}

/// The same under ab, as other projects publish it.
pub(super) fn ab(options: &Options) -> Result<Vec<Table>, String> {
    if let Err(missing) = load::has_ab() {
        eprintln!("{missing}: the layer is left out");
        return Ok(Vec::new());
    }
    let servers = servers::built(options, BASE)?;
    let rounds = if options.quick { 1 } else { 3 };
    let table = Table {
        name: "ab".to_owned(),
        title: format!("`{USER}` under ab: {AB_CONNECTIONS} connections, kept"),
        about: format!(
            "{rounds} x {SECONDS} s of `ab -k -c {AB_CONNECTIONS}`, which speaks HTTP/1.0. \
             A server that does not keep such a connection is left out."
        ),
        rows_are: "server".to_owned(),
        base: Some(BASE.to_owned()),
        columns: columns(&PERCENTILES_OF_AB),
        rows: Vec::new(),
    };
    let mut keep = Vec::new();
    for server in &servers {
        keep.push((server.name.clone(), keeps_1_0(server)?));
    }
    let measure = Measure {
        table,
        takes_part: Box::new(|server| keep.iter().any(|(name, keeps)| *keeps && *name == server.name)),
        sample: Box::new(|server| {
            let server = server.start()?;
            server.warm(USER)?;
            Ok(figures(&load::ab(&server, USER, AB_CONNECTIONS, SECONDS)?, true))
        }),
    };
    in_rounds("ab", rounds, &servers, vec![measure])
}

/// Whether it keeps a connection of HTTP/1.0 whose client asks for that, and says so: ab waits for its end otherwise.
fn keeps_1_0(server: &Server) -> Result<bool, String> {
    let running = server.start()?;
    let request = format!("GET {USER} HTTP/1.0\r\nHost: localhost\r\nConnection: Keep-Alive\r\nAccept: */*\r\n\r\n");
    let answer = Client::connect(running.port).and_then(|mut client| client.send(request.as_bytes()));
    Ok(answer.is_ok_and(|answer| {
        let kept = answer.field("connection").unwrap_or_default();
        answer.status == 200 && kept.eq_ignore_ascii_case("keep-alive")
    }))
}
