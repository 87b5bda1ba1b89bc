//! SIGTERM under load: every request that was accepted is answered, and the process ends by itself.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::Form;
use crate::client::{Client, get};
use crate::load::{self, Fates, Kind, Signs};
use crate::report::Row;
use crate::server::{Program, Server, Start};

/// How many of each there are; those that stand still are there first. Few never rest, and all of them fit in 256 descriptors: a table of
/// descriptors that threads share grows only when the kernel has seen every CPU at rest (`synchronize_rcu`), for which a server that accepts
/// waits, and does nothing else, for seconds on a machine that has far more to do than it can.
const CLIENTS: &[(Kind, usize)] = &[
    (Kind::HeldUpload, 16),
    (Kind::HeldDownload, 4),
    (Kind::Idle, 48),
    (Kind::Kept, 8),
    (Kind::Paced, 64),
    (Kind::Fresh, 4),
    (Kind::Pipelined, 2),
    (Kind::Upload, 16),
];
/// How many more come just before the signal.
const WAITING: usize = 16;
/// How many new connections may be reset with the port, each time: a server can't help it where it is kept from running between its last
/// look at the queue and the close.
const TURNED_AWAY: usize = 3;
/// How many that had sent their requests before the signal, each time: where the kernel was kept from running, they are not in the queue yet.
const EARLY: usize = 1;
/// From the signal until nobody can connect, and to the end of the process: nothing here takes long.
const END: Duration = Duration::from_secs(10);
/// How long the clients have to get where they should be.
const READY: Duration = Duration::from_secs(10);

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let rounds = form.pick(10, 3);
    let busy = Duration::from_millis(form.pick(1000, 500));
    let mut fates = Fates::default();
    let (mut closed, mut ended) = (Vec::new(), Vec::new());
    let mut unclean = Vec::new();
    for _ in 0..rounds {
        let round = round(program, busy)?;
        fates = fates.and(round.fates);
        closed.push(round.closed);
        ended.push(round.ended);
        unclean.extend(round.unclean);
    }
    let answered = format!("{}, {} of them with a close", fates.answered, fates.last);
    Ok(vec![
        Row::told(format!("requests answered, in {rounds} rounds"), answered),
        Row::told("connections closed before a request", fates.closed),
        Row::told("sent too late to tell", fates.untold),
        Row::judged(
            "new connections the closing port reset",
            fates.turned_away,
            format!("at most {}", TURNED_AWAY * rounds),
            fates.turned_away <= TURNED_AWAY * rounds,
        ),
        Row::judged(
            "and before the signal, with a request",
            fates.early,
            format!("at most {}", EARLY * rounds),
            fates.early <= EARLY * rounds,
        ),
        Row::none("requests lost", &fates.lost),
        Row::happened("the port closed, after the signal", slowest(&closed), END),
        Row::happened("the process ended, after the signal", slowest(&ended), END),
        Row::none("ends that were no clean ones", &unclean),
    ])
}

/// `None` if one of them never came.
fn slowest(times: &[Option<Duration>]) -> Option<Duration> {
    times
        .iter()
        .max_by_key(|time| time.unwrap_or(Duration::MAX))
        .copied()
        .flatten()
}

struct Round {
    fates: Fates,
    closed: Option<Duration>,
    ended: Option<Duration>,
    unclean: Option<String>,
}

/// A server from its start to its end; `busy` is how long it is under load before the signal.
fn round(program: &Program, busy: Duration) -> Result<Round, String> {
    let mut server = Server::start(program, &Start::default())?;
    let address = server.address();
    let signs = Arc::new(Signs::default());
    let kinds = CLIENTS
        .iter()
        .flat_map(|(kind, count)| std::iter::repeat_n(*kind, *count));
    let (still, restless): (Vec<_>, Vec<_>) = kinds.enumerate().partition(|(_, kind)| kind.stands_still());
    let wanted = still.len();
    let begin = |(id, kind)| {
        let signs = signs.clone();
        std::thread::spawn(move || load::run(kind, address, id, &signs))
    };
    let mut clients: Vec<_> = still.into_iter().map(begin).collect();
    let begun = Instant::now();
    while signs.ready.load(Ordering::Acquire) < wanted && begun.elapsed() < READY {
        std::thread::sleep(Duration::from_millis(5));
    }
    clients.extend(restless.into_iter().map(begin));
    std::thread::sleep(busy);

    // The kernel has these, with their requests; whether the server has seen them yet is not their business.
    let trigger = server.trigger()?;
    let mut waiting = Vec::new();
    for _ in 0..WAITING {
        let mut client = Client::connect(address).map_err(|why| format!("connecting: {why}"))?;
        client.send(get("/users/7"));
        waiting.push(client);
    }
    let signal = Instant::now();
    trigger.pull()?;
    clients.extend(
        waiting
            .into_iter()
            .map(|client| std::thread::spawn(|| load::end_waiting(client))),
    );
    let closed = port_closed(&server, signal);
    // Also where it was not: what stands still goes on.
    signs.port_closed.store(true, Ordering::Release);
    let status = server.ends_within(END);
    let ended = status.map(|_| signal.elapsed());
    let unclean = match status {
        Some(status) if status.success() && server.has_logged("stopped") => None,
        Some(status) => Some(status.to_string()),
        None => Some("it still runs".to_owned()),
    };
    drop(server);
    let fates = clients
        .into_iter()
        .map(|client| client.join().unwrap_or_else(|_| Fates::unknown("a client panicked")));
    Ok(Round {
        fates: fates.fold(Fates::default(), Fates::and),
        closed,
        ended,
        unclean,
    })
}

fn port_closed(server: &Server, since: Instant) -> Option<Duration> {
    let refused = |why: std::io::Error| why.kind() == ErrorKind::ConnectionRefused;
    while !Client::connect(server.address()).is_err_and(refused) {
        if since.elapsed() > END {
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Some(since.elapsed())
}
