//! Layer `pipe`: a request through the real connection code over a pipe in memory, without a socket.
//!
//! Instructions and allocations are counted (`valgrind.rs`), times are of rounds. What answers is built by `answerer.rs`.

use std::hash::{BuildHasher, RandomState};

use super::Options;
use super::answerer::{Answerer, CASES, CHAINS, Printed, transports};
use super::run::{Better, Column, Table};
use super::valgrind::{self, Cost};

const BASE: &str = "hand-hyper";

/// How the pipe is measured with this haste.
struct Effort {
    rounds: usize,
    requests: u32,
}

/// Measures it.
pub(super) fn pipe(options: &Options) -> Result<Vec<Table>, String> {
    let wanted = |name: &str| options.servers.is_empty() || options.servers.contains(name);
    let mut ours = Vec::new();
    for transport in transports()? {
        if wanted(&format!("polywire-{transport}")) {
            ours.push(Answerer::ours(&transport)?);
        }
    }
    // The floors are no servers that one could leave out.
    let mut all = vec![
        Answerer::peer("null-pipe")?,
        Answerer::peer("bare")?,
        Answerer::peer(BASE)?,
    ];
    if wanted("hand-axum") {
        all.push(Answerer::peer("hand-axum")?);
    }
    all.extend(ours.iter().cloned());
    let effort = match options.quick {
        true => Effort {
            rounds: 3,
            requests: 50_000,
        },
        false => Effort {
            rounds: 7,
            requests: 200_000,
        },
    };
    let null = null_pipe(&all[0])?;
    let mut tables = vec![users(&all, null, &effort)?];
    if !ours.is_empty() {
        tables.extend([
            cases(&ours, null, &effort)?,
            chains(&ours, null, &effort)?,
            threads(&ours, &effort)?,
        ]);
    }
    Ok(tables)
}

/// The instructions of a request to the pipe alone, which every other figure is above.
pub(super) fn null_pipe(null: &Answerer) -> Result<f64, String> {
    Ok(valgrind::per_request(|count| null.command(count, &[]))?.instructions)
}

/// What a request takes, above the pipe.
pub(super) fn cost(answerer: &Answerer, arguments: &[&str], null: f64) -> Result<Cost, String> {
    eprintln!("pipe: counting {} {}", answerer.name, arguments.join(" "));
    let mut cost = valgrind::per_request(|count| answerer.command(count, arguments))?;
    cost.instructions -= null;
    Ok(cost)
}

/// What can be measured of an answerer: which, and its arguments.
type Subject<'a> = (&'a Answerer, Vec<&'a str>);

/// What each subject prints, round by round, in an order of its own in each.
fn rounds(what: &str, subjects: &[Subject<'_>], effort: &Effort) -> Result<Vec<Vec<Printed>>, String> {
    let mut printed = vec![Vec::new(); subjects.len()];
    for round in 1..=effort.rounds {
        eprintln!("pipe, {what}: round {round} of {}", effort.rounds);
        let mut order: Vec<usize> = (0..subjects.len()).collect();
        let shuffle = RandomState::new();
        order.sort_by_key(|at| shuffle.hash_one(at));
        for at in order {
            let (answerer, arguments) = &subjects[at];
            printed[at].push(answerer.run(effort.requests, arguments)?);
        }
    }
    Ok(printed)
}

fn times(printed: &[Printed]) -> Option<Vec<f64>> {
    Some(printed.iter().map(|printed| printed.nanoseconds).collect())
}

/// A count, for every round: it does not change.
fn counted(figure: f64, effort: &Effort) -> Option<Vec<f64>> {
    Some(vec![figure; effort.rounds])
}

/// `/users/42`, beside the peers.
fn users(all: &[Answerer], null: f64, effort: &Effort) -> Result<Table, String> {
    let subjects: Vec<Subject<'_>> = all.iter().map(|answerer| (answerer, Vec::new())).collect();
    let printed = rounds("/users/42", &subjects, effort)?;
    let mut samples = Vec::new();
    for (answerer, printed) in all.iter().zip(&printed) {
        let cost = cost(answerer, &[], null)?;
        samples.push(vec![
            counted(cost.instructions, effort),
            times(printed),
            counted(cost.allocations, effort),
            counted(cost.bytes, effort),
        ]);
    }
    let mut table = Table {
        name: "pipe".to_owned(),
        title: "GET /users/42 without a socket".to_owned(),
        about: format!(
            "Client and server in one thread over a pipe in memory, the default chain. Instructions are above those of a pipe \
             whose server parses nothing (null-pipe), {null:.0}; the time has it in it."
        ),
        rows_are: "server".to_owned(),
        base: Some(BASE.to_owned()),
        columns: vec![
            column("instructions", "", true),
            column("time", "ns", false),
            allocations("allocations"),
            column("allocated", "B", false),
        ],
        rows: Vec::new(),
    };
    let names: Vec<&str> = all.iter().map(|answerer| answerer.name.as_str()).collect();
    table.fill(&names, &samples);
    Ok(table)
}

/// Each kind of request on each transport.
fn cases(ours: &[Answerer], null: f64, effort: &Effort) -> Result<Table, String> {
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for case in CASES {
        subjects.extend(ours.iter().map(|answerer| (answerer, vec!["--case", case])));
    }
    let printed = rounds("cases", &subjects, effort)?;
    let mut samples = vec![Vec::new(); CASES.len()];
    for (at, ((answerer, arguments), printed)) in subjects.iter().zip(&printed).enumerate() {
        let cost = cost(answerer, arguments, null)?;
        samples[at / ours.len()].extend([
            counted(cost.instructions, effort),
            times(printed),
            counted(cost.allocations, effort),
            counted(cost.bytes, effort),
        ]);
    }
    let columns = |answerer: &Answerer| {
        let name = transport(answerer);
        [
            column(&format!("{name}: instructions"), "", true),
            column(&format!("{name}: time"), "ns", false),
            allocations(&format!("{name}: allocations")),
            column(&format!("{name}: allocated"), "B", false),
        ]
    };
    let mut table = Table {
        name: "pipe-cases".to_owned(),
        title: "Kinds of requests without a socket".to_owned(),
        about: "As above: static is GET /ping, param /users/42, query /search?q=kyrux&page=3, post a JSON user that comes back, \
                html a page of 50 rows by askama, missing a 404."
            .to_owned(),
        rows_are: "request".to_owned(),
        base: None,
        columns: ours.iter().flat_map(columns).collect(),
        rows: Vec::new(),
    };
    table.fill(&CASES, &samples);
    Ok(table)
}

/// What a chain costs.
fn chains(ours: &[Answerer], null: f64, effort: &Effort) -> Result<Table, String> {
    let mut samples = vec![Vec::new(); CHAINS.len()];
    for answerer in ours {
        let mut none = 0.0;
        let chained = Answerer::chained(transport(answerer))?;
        for ((chained, (_, middlewares)), samples) in chained.iter().zip(CHAINS).zip(&mut samples) {
            let printed = chained.run(1, &[])?;
            let instructions = cost(chained, &[], null)?.instructions;
            if middlewares == 0 {
                none = instructions;
            }
            let each = (middlewares > 0).then(|| (instructions - none) / f64::from(middlewares));
            samples.extend([
                counted(instructions, effort),
                each.and_then(|each| counted(each, effort)),
                printed.future.and_then(|bytes| counted(bytes, effort)),
            ]);
        }
    }
    let columns = |answerer: &Answerer| {
        let name = transport(answerer);
        [
            column(&format!("{name}: instructions"), "", true),
            column(&format!("{name}: per middleware"), "", false),
            column(&format!("{name}: future"), "B", false),
        ]
    };
    let mut table = Table {
        name: "pipe-chains".to_owned(),
        title: "Chains".to_owned(),
        about: "GET /users/42 without a socket: no middleware, one that does nothing, three of these, and the default chain, which \
                gives every request an id and recovers from panics. One program has all four, and so less inlined than one that ships: \
                compare them with each other. The future is the one of chain and handler; with the default chain, of all the \
                probe's handlers."
            .to_owned(),
        rows_are: "chain".to_owned(),
        base: None,
        columns: ours.iter().flat_map(columns).collect(),
        rows: Vec::new(),
    };
    table.fill(&CHAINS.map(|(name, _)| name), &samples);
    Ok(table)
}

/// One thread, and one for each core.
fn threads(ours: &[Answerer], effort: &Effort) -> Result<Table, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let several = cores.to_string();
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    for answerer in ours {
        subjects.extend([
            (answerer, vec!["--threads", "1"]),
            (answerer, vec!["--threads", several.as_str()]),
        ]);
    }
    let printed = rounds("threads", &subjects, effort)?;
    let rate = |printed: &Printed, threads: usize| threads as f64 * 1e6 / printed.nanoseconds;
    let rows = printed.chunks(2).map(|both| {
        let one: Vec<f64> = both[0].iter().map(|printed| rate(printed, 1)).collect();
        let all: Vec<f64> = both[1].iter().map(|printed| rate(printed, cores)).collect();
        let factor = one.iter().zip(&all).map(|(one, all)| all / one).collect();
        vec![Some(one), Some(all), Some(factor)]
    });
    let samples: Vec<_> = rows.collect();
    let more = |name: &str, unit: &str, digits| Column {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better: Better::More,
        drawn: false,
        digits,
    };
    let mut table = Table {
        name: "pipe-threads".to_owned(),
        title: "Threads without a socket".to_owned(),
        about: format!(
            "GET /users/42 on one thread, and on {cores} at once, each with a runtime and a connection of its own: what they share \
             would show."
        ),
        rows_are: "transport".to_owned(),
        base: None,
        columns: vec![
            more("one thread", "1000/s", 0),
            more(&format!("{cores} threads"), "1000/s", 0),
            more("factor", "", 2),
        ],
        rows: Vec::new(),
    };
    let names: Vec<&str> = ours.iter().map(transport).collect();
    table.fill(&names, &samples);
    Ok(table)
}

fn transport(answerer: &Answerer) -> &str {
    answerer.name.strip_prefix("polywire-").unwrap_or(&answerer.name)
}

fn column(name: &str, unit: &str, drawn: bool) -> Column {
    Column {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better: Better::Less,
        drawn,
        digits: 0,
    }
}

fn allocations(name: &str) -> Column {
    Column {
        digits: 2,
        ..column(name, "", false)
    }
}
