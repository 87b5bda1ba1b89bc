//! More clients than the process may have descriptors: most are served, the others cost nothing and are served when there is room.
//!
//! Twice: as configured by default, where the limit of connections comes first, and with a limit of connections far above, where the
//! kernel refuses descriptors.

use std::time::{Duration, Instant};

use crate::Form;
use crate::client::{Client, get};
use crate::report::{Row, duration};
use crate::server::{Program, Server, Start};
use crate::socket::{Heard, Sent, Socket};

/// The process's limit.
const LIMIT: u32 = 256;
const CLIENTS: usize = 1000;
/// How many of them are served at least.
const SERVED: usize = 100;
/// How long they have for that.
const TIME: Duration = Duration::from_secs(2);
/// Until a newcomer is answered, once all of them are gone.
const RECOVERY: Duration = Duration::from_secs(1);
/// Log lines in a second.
const LINES: usize = 10;

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let full = Duration::from_secs(form.pick(5, 2));
    let mut rows = measure(program, full, "by default", &[])?;
    rows.extend(measure(
        program,
        full,
        "refused by the kernel",
        &["--connections", "10000"],
    )?);
    Ok(rows)
}

/// `full` is how long it stays without room.
fn measure(program: &Program, full: Duration, how: &str, arguments: &[&str]) -> Result<Vec<Row>, String> {
    let start = Start {
        descriptors: Some(LIMIT),
        arguments: arguments.iter().map(|text| (*text).to_owned()).collect(),
        ..Start::default()
    };
    let server = Server::start(program, &start)?;
    let request = get("/users/42");
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut client = Socket::connect(server.address()).map_err(|why| format!("connecting: {why}"))?;
        if client.send(request.as_bytes()) != Sent::Bytes(request.len()) {
            return Err("a request can't be sent".to_owned());
        }
        clients.push((client, false));
    }
    let begun = Instant::now();
    while begun.elapsed() < TIME {
        listen(&mut clients);
        std::thread::sleep(Duration::from_millis(10));
    }
    let (cpu, lines, since) = (server.cpu_time()?, server.log_lines(), Instant::now());
    std::thread::sleep(full);
    let (cpu, lines, passed) = (server.cpu_time()? - cpu, server.log_lines() - lines, since.elapsed());
    listen(&mut clients);
    let served = clients.iter().filter(|(_, served)| *served).count();
    let descriptors = server.descriptors()?;
    // Those it has are served on.
    let mut again = 0;
    for (client, served) in &mut clients {
        if *served && client.send(request.as_bytes()) == Sent::Bytes(request.len()) {
            again += 1;
            *served = false;
        }
    }
    let begun = Instant::now();
    while clients.iter().filter(|(_, served)| *served).count() < again && begun.elapsed() < TIME {
        listen(&mut clients);
        std::thread::sleep(Duration::from_millis(1));
    }
    let again = clients.iter().filter(|(_, served)| *served).count();

    drop(clients);
    let gone = Instant::now();
    let newcomer = Client::connect(server.address())
        .map_err(|why| why.to_string())
        .and_then(|mut client| {
            client
                .ask("/users/7", br#"{"id":7,"name":"ann"}"#)
                .map_err(|why| why.to_string())
        });
    let recovery = newcomer.is_ok().then(|| gone.elapsed());
    let share = cpu.as_secs_f64() / passed.as_secs_f64() * 100.0;
    let most = LINES * full.as_secs() as usize;
    Ok(vec![
        Row::judged(
            format!("{how}: served, of {CLIENTS}"),
            format!("{served}, with {descriptors} of {LIMIT} descriptors"),
            format!("at least {SERVED}"),
            served >= SERVED,
        ),
        Row::judged(
            "served again while full",
            again,
            format!("all {served}"),
            again == served,
        ),
        Row::judged(
            format!("CPU while full, for {}", duration(passed)),
            format!("{share:.1} % of a core"),
            "under 20 %",
            share < 20.0,
        ),
        Row::judged("log lines while full", lines, format!("at most {most}"), lines <= most),
        Row::happened("a newcomer answered, once all are gone", recovery, RECOVERY),
    ])
}

/// Notes who has heard of the server.
fn listen(clients: &mut [(Socket, bool)]) {
    for (client, served) in clients {
        *served |= matches!(client.hear(&mut [0; 4096]), Heard::Bytes(_));
    }
}
