//! The layers about a server that does nothing much: `memory`, what it and its connections hold, and `startup`.

use std::io::{self, ErrorKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Options;
use super::answers::USER;
use super::client::Client;
use super::load::{self, Load};
use super::loopback::column;
use super::process::{self, Memory};
use super::rounds::{Figures, Measure, in_rounds};
use super::run::{Better, Column, Table};
use super::servers::{self, BASE, Running, Server};

const LOADED: usize = 64;
const HELD: usize = 10_000;
/// Those, and what a program has anyway.
const DESCRIPTORS: u64 = HELD as u64 + 200;
/// Connections that are made before the server is seen to have accepted those before: with more than wait in its queue, the kernel
/// drops what comes next, and it comes again a second later.
const TOGETHER: usize = 200;
/// Resident memory that is the same in this many looks changes no more.
const LOOKS: usize = 4;
const BETWEEN_LOOKS: Duration = Duration::from_millis(150);
const TO_SETTLE: Duration = Duration::from_secs(3);

/// What a server takes at rest, under load, and for connections that are held open.
pub(super) fn memory(options: &Options) -> Result<Vec<Table>, String> {
    if let Err(few) = process::allow_descriptors(DESCRIPTORS) {
        eprintln!("memory is left out: {few}");
        return Ok(Vec::new());
    }
    let servers = servers::built(options, BASE)?;
    let rounds = if options.quick { 1 } else { 2 };
    let (rest, held) = (
        |name: &str| column(name, "MB", Better::Less, 1),
        |name: &str| Column {
            drawn: true,
            ..column(name, "B", Better::Less, 0)
        },
    );
    let table = Table {
        name: "memory".to_owned(),
        title: format!("Memory: at rest, under load, with {HELD} connections"),
        about: format!(
            "{rounds} rounds. Resident and virtual memory, what processes share counted for each. Under load are {LOADED} connections: \
             the most that was seen. Idle connections have made one request, silent ones none: bytes are those that the resident memory \
             grew by, for each."
        ),
        rows_are: "server".to_owned(),
        base: Some(BASE.to_owned()),
        columns: vec![
            rest("RSS at rest"),
            rest("RSS under load"),
            rest("RSS with idle"),
            rest("VSZ at rest"),
            rest("VSZ under load"),
            rest("VSZ with idle"),
            held("an idle connection"),
            held("a silent connection"),
            column("failures", "", Better::Less, 0),
        ],
        rows: Vec::new(),
    };
    let measure = Measure {
        table,
        takes_part: Box::new(|_| true),
        sample: Box::new(sample),
    };
    in_rounds("memory", rounds, &servers, vec![measure])
}

/// Each on a server of its own: what was freed is not given back.
fn sample(server: &Server) -> Figures {
    let (loaded, lost) = under_load(&server.start()?)?;
    let asked = |client: &mut Client| Ok(client.ask("GET", USER, b"")?.status == 200);
    let idle = hold_idle(server, HELD, asked)?;
    let silent = hold_idle(server, HELD, |_| Ok(true))?;
    let figures = [
        idle.before.resident as f64 / 1e6,
        loaded.resident as f64 / 1e6,
        idle.after.resident as f64 / 1e6,
        idle.before.virtual_ as f64 / 1e6,
        loaded.virtual_ as f64 / 1e6,
        idle.after.virtual_ as f64 / 1e6,
        idle.each(),
        silent.each(),
        lost + idle.lost + silent.lost,
    ];
    Ok(figures.map(Some).to_vec())
}

/// The most it took, and what failed.
fn under_load(server: &Running<'_>) -> Result<(Memory, f64), String> {
    let load = Load {
        target: USER.to_owned(),
        connections: LOADED,
        pipelined: 1,
        close: false,
        seconds: 1,
    };
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = Memory::default();
            while !done.load(Ordering::Relaxed) {
                let now = server.process.memory();
                most.resident = most.resident.max(now.resident);
                most.virtual_ = most.virtual_.max(now.virtual_);
                thread::sleep(BETWEEN_LOOKS);
            }
            most
        });
        let loaded = load::wrk(server, &load);
        done.store(true, Ordering::Relaxed);
        let most = watch.join().expect("it only reads");
        Ok((most, loaded?.failures))
    })
}

/// Connections that are held, and what the server took before and after they came.
pub(super) struct Held {
    before: Memory,
    after: Memory,
    pub(super) clients: Vec<Client>,
    /// Those that were not answered as they should, or not kept.
    pub(super) lost: f64,
}

impl Held {
    /// What one of them takes.
    pub(super) fn each(&self) -> f64 {
        (self.after.resident as f64 - self.before.resident as f64) / self.clients.len() as f64
    }
}

/// Opens connections, on which nothing is to happen then, to a server of their own.
pub(super) fn hold_idle(
    server: &Server,
    count: usize,
    open: impl Fn(&mut Client) -> io::Result<bool>,
) -> Result<Held, String> {
    let running = server.start()?;
    let mut held = hold(&running, count, open)?;
    for client in &mut held.clients {
        held.lost += f64::from(u8::from(!client.is_kept()));
    }
    Ok(held)
}

/// Opens connections, until what the server takes has stopped changing. `open`: whether one was answered as it should be.
pub(super) fn hold(
    server: &Running<'_>,
    count: usize,
    open: impl Fn(&mut Client) -> io::Result<bool>,
) -> Result<Held, String> {
    let before = server.process.memory();
    let mut clients = Vec::with_capacity(count);
    let mut lost = 0.0;
    for number in 0..count {
        if number % TOGETHER == 0 {
            server.ask(1, USER)?;
        }
        let mut client = Client::connect(server.port)
            .map_err(|error| server.complaint(&format!("took {} connections: {error}", clients.len())))?;
        let opened = open(&mut client);
        if opened
            .as_ref()
            .is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
        {
            return Err(server.complaint(&format!("does not answer connection {}", clients.len())));
        }
        lost += f64::from(u8::from(!opened.is_ok_and(|answered| answered)));
        clients.push(client);
    }
    let after = settled(server);
    Ok(Held {
        before,
        after,
        clients,
        lost,
    })
}

/// What it takes, once that has stopped changing.
fn settled(server: &Running<'_>) -> Memory {
    let (begun, mut last, mut same) = (Instant::now(), server.process.memory(), 1);
    while same < LOOKS && begun.elapsed() < TO_SETTLE {
        thread::sleep(BETWEEN_LOOKS);
        let now = server.process.memory();
        same = if now.resident == last.resident { same + 1 } else { 1 };
        last = now;
    }
    last
}

/// From the start of a server to its first answer.
pub(super) fn startup(options: &Options) -> Result<Vec<Table>, String> {
    let servers = servers::built(options, BASE)?;
    let rounds = if options.quick { 5 } else { 12 };
    let table = Table {
        name: "startup".to_owned(),
        title: "From start to first answer".to_owned(),
        about: format!(
            "{rounds} starts of each, from files that are in memory already. A client asks every 0.2 ms until it is answered."
        ),
        rows_are: "server".to_owned(),
        base: Some(BASE.to_owned()),
        columns: vec![Column {
            drawn: true,
            ..column("first answer after", "ms", Better::Less, 2)
        }],
        rows: Vec::new(),
    };
    let measure = Measure {
        table,
        takes_part: Box::new(|_| true),
        sample: Box::new(|server| Ok(vec![Some(server.start()?.started.as_secs_f64() * 1e3)])),
    };
    in_rounds("startup", rounds, &servers, vec![measure])
}
