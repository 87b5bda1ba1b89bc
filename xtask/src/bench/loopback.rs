//! The layers that load servers over sockets of this machine: `loopback`, `ab`, `waiting` and `files`.

use super::Options;
use super::answers::{FILE_SIZES, USER, WAIT};
use super::client::Client;
use super::load::{self, Load, Loaded, PERCENTILES, PERCENTILES_OF_AB};
use super::process;
use super::rounds::{Figures, Measure, in_rounds};
use super::run::{Better, Column, Table};
use super::servers::{self, BASE, BASE_OF_FILES, Server};

const SECONDS: u64 = 1;
/// Files of 2 MB need more, for as many answers that each second counts.
const SECONDS_OF_FILES: u64 = 2;
/// What a table is about if its name does not say how many.
const USUAL_CONNECTIONS: usize = 64;
const AB_CONNECTIONS: usize = 100;
const FILE_CONNECTIONS: [usize; 3] = [10, 500, 1000];
/// Of an answer, about.
const HEAD: usize = 150;
const DESCRIPTORS: u64 = 1_200;

/// A request at a time on 1 to 500 connections, many at a time, and one for each connection.
pub(super) fn loopback(options: &Options) -> Result<Vec<Table>, String> {
    let kept = |connections| Load {
        target: USER.to_owned(),
        connections,
        pipelined: 1,
        close: false,
        seconds: SECONDS,
    };
    let counts: &[usize] = if options.quick {
        &[USUAL_CONNECTIONS]
    } else {
        &[1, USUAL_CONNECTIONS, 100, 500]
    };
    let mut loads: Vec<Load> = counts.iter().map(|&connections| kept(connections)).collect();
    loads.push(Load {
        pipelined: 16,
        ..kept(USUAL_CONNECTIONS)
    });
    loads.push(Load {
        close: true,
        ..kept(USUAL_CONNECTIONS)
    });
    let rounds = if options.quick { 2 } else { 5 };
    under_wrk(("loopback", "single"), options, rounds, loads)
}

/// A millisecond of awaited work behind each answer.
pub(super) fn waiting(options: &Options) -> Result<Vec<Table>, String> {
    let loads = [USUAL_CONNECTIONS, 500].map(|connections| Load {
        target: WAIT.to_owned(),
        connections,
        pipelined: 1,
        close: false,
        seconds: SECONDS,
    });
    under_wrk(
        ("waiting", "waiting"),
        options,
        if options.quick { 1 } else { 3 },
        loads.into(),
    )
}

fn under_wrk(
    (layer, single): (&str, &str),
    options: &Options,
    rounds: usize,
    loads: Vec<Load>,
) -> Result<Vec<Table>, String> {
    process::allow_descriptors(DESCRIPTORS)?;
    let servers = servers::built(options, BASE)?;
    let measure = |load: Load| {
        let (close, target) = (load.close, load.target.clone());
        Measure {
            table: table_of(single, rounds, &load),
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

fn table_of(single: &str, rounds: usize, load: &Load) -> Table {
    let connections = match load.connections {
        1 => "1 connection".to_owned(),
        connections => format!("{connections} connections"),
    };
    let (name, how, remark) = match (load.pipelined, load.close) {
        (1, false) => (single.to_owned(), "kept, one request at a time".to_owned(), ""),
        (1, true) => ("close".to_owned(), "a new one for every request".to_owned(), ""),
        (count, _) => (
            "pipelined".to_owned(),
            format!("{count} requests in one write"),
            " Latencies are left out: wrk can't tell those of pipelined requests.",
        ),
    };
    let name = match load.connections {
        USUAL_CONNECTIONS => name,
        connections => format!("{name}-{connections}"),
    };
    Table {
        name,
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
        eprintln!("ab is left out: {missing}");
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

/// Files of 9.7 kB and 2.1 MB.
pub(super) fn files(options: &Options) -> Result<Vec<Table>, String> {
    process::allow_descriptors(DESCRIPTORS)?;
    let servers = servers::built(options, BASE_OF_FILES)?;
    let rounds = if options.quick { 1 } else { 3 };
    let measures = FILE_SIZES.map(|size| Measure {
        table: table_of_files(size, rounds),
        takes_part: Box::new(move |server| server.answers(&format!("/files/{size}"))),
        sample: Box::new(move |server| sample_of_files(server, size)),
    });
    in_rounds("files", rounds, &servers, measures.into())
}

fn table_of_files(size: usize, rounds: usize) -> Table {
    let mut columns = Vec::new();
    for connections in FILE_CONNECTIONS {
        columns.push(Column {
            drawn: true,
            ..column(&format!("CPU/request at {connections}"), "µs", Better::Less, 1)
        });
        columns.push(column(&format!("sent at {connections}"), "MB/s", Better::More, 0));
    }
    columns.push(column("failures", "", Better::Less, 0));
    Table {
        name: format!("files-{size}"),
        title: format!("`/files/{size}`: {FILE_CONNECTIONS:?} connections, kept").replace(['[', ']'], ""),
        about: format!(
            "{rounds} x {SECONDS_OF_FILES} s under wrk for each number of connections. nginx sends a file it keeps open, the \
             others what they hold in memory. Answers that were cut off at the end count by what had come of them."
        ),
        rows_are: "server".to_owned(),
        base: Some(BASE_OF_FILES.to_owned()),
        columns,
        rows: Vec::new(),
    }
}

fn sample_of_files(server: &Server, size: usize) -> Figures {
    let (mut figures, mut failures) = (Vec::new(), 0.0);
    let target = format!("/files/{size}");
    for connections in FILE_CONNECTIONS {
        let running = server.start()?;
        running.warm(USER)?;
        let load = Load {
            target: target.clone(),
            connections,
            pipelined: 1,
            close: false,
            seconds: SECONDS_OF_FILES,
        };
        let loaded = load::wrk(&running, &load)?;
        // With a thousand connections, much of it may be on its way when the time is over.
        let requests = (loaded.bytes / (size + HEAD) as f64).max(1.0);
        figures.push(Some(loaded.cpu.whole() * 1e6 / requests));
        figures.push(Some(loaded.bytes / 1e6 / loaded.seconds));
        failures += loaded.failures;
    }
    figures.push(Some(failures));
    Ok(figures)
}
