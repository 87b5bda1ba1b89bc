//! Clients that send a byte now and then, some of a head and some of a body, beside honest ones.
//!
//! The honest ones are measured in rounds, alone and then beside the others, several times over: what is compared are medians, so that
//! what else runs on the machine decides nothing. An attacker goes on sending until its connection is reset, whatever it is told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pw_conformance::response;

use crate::Form;
use crate::honest::{self, Honest, percentile};
use crate::report::{Row, duration};
use crate::server::{Program, Server, Start};
use crate::socket::{Heard, Sent, Socket};

/// Between two requests of an honest client.
const PAUSE: Duration = Duration::from_millis(25);
/// Between two bytes of a slow one.
const DRIP: Duration = Duration::from_millis(500);
/// How much later than its timeout a slow client may be there: the timer's coarseness, and the time in which it may read why.
const SLACK: Duration = Duration::from_secs(5);

/// What an honest client's p99 may become, times its value alone.
const RATIO: f64 = 2.0;
/// How often both are measured, by turns; and how often all of that, where the machine seems to have been busy with something else.
const CYCLES: usize = 3;
const SETS: usize = 3;

/// How many of each, and how long.
struct Scale {
    attackers: usize,
    honest: u32,
    head: Duration,
    body: Duration,
    /// The length of a round, and how many there are in a cycle, alone and beside attackers.
    round: Duration,
    rounds: usize,
}

impl Scale {
    fn of(form: Form) -> Self {
        let seconds = Duration::from_secs;
        Self {
            attackers: form.pick(1000, 200),
            honest: form.pick(200, 40),
            head: seconds(form.pick(10, 2)),
            body: seconds(form.pick(30, 3)),
            round: Duration::from_millis(form.pick(1000, 300)),
            rounds: form.pick(8, 5),
        }
    }
}

pub(crate) fn run(program: &Program, form: Form) -> Result<Vec<Row>, String> {
    let scale = Scale::of(form);
    let start = Start {
        arguments: form.timeouts(&[("--head-timeout", scale.head), ("--body-timeout", scale.body)]),
        ..Start::default()
    };
    let server = Server::start(program, &start)?;
    let honest = Honest::start(server.address(), scale.honest, PAUSE);
    honest.during(PAUSE * 10);
    let without = server.descriptors()?;

    let mut attacks = Vec::new();
    let mut sets = 0;
    let (alone, beside, ratio) = loop {
        let (mut alone, mut beside) = (Vec::new(), Vec::new());
        for _ in 0..CYCLES {
            alone.extend(rounds(&honest, &scale));
            attacks.push(attack(&server, &scale, without, || {
                beside.extend(rounds(&honest, &scale))
            })?);
        }
        let ratio = honest::median(&beside).as_secs_f64() / honest::median(&alone).as_secs_f64();
        sets += 1;
        if ratio < RATIO || sets == SETS {
            break (alone, beside, ratio);
        }
    };

    let (before, during) = (honest::median(&alone), honest::median(&beside));
    let mut rows = vec![
        Row::told("honest p99 alone, each round", honest::list(&alone)),
        Row::told("honest p99 beside them, each round", honest::list(&beside)),
        Row::judged(
            format!("its median beside them, to that alone, set {sets}"),
            format!("{} to {}: {ratio:.2}", duration(during), duration(before)),
            format!("under {RATIO}"),
            ratio < RATIO,
        ),
    ];
    rows.extend(honest.rows());
    for (what, timeout, kind) in [
        ("slow heads", scale.head, Kind::Head),
        ("slow bodies", scale.body, Kind::Body),
    ] {
        let of_kind = || {
            attacks
                .iter()
                .flat_map(|attack| &attack.ends)
                .filter(|end| end.kind == kind)
        };
        let last = of_kind()
            .map(|end| end.after)
            .max_by_key(|after| after.unwrap_or(Duration::MAX))
            .flatten();
        rows.push(Row::happened(format!("{what} told to go after"), last, timeout + SLACK));
        let told = of_kind().filter(|end| end.status == Some(408)).count();
        rows.push(Row::told(
            "of them with a 408",
            format!("{told} of {}", of_kind().count()),
        ));
        let wrong: Vec<u16> = of_kind()
            .filter_map(|end| end.status)
            .filter(|status| *status != 408)
            .collect();
        rows.push(Row::none("of them with another status", &wrong));
    }
    let back = attacks
        .iter()
        .map(|attack| attack.back)
        .max_by_key(|back| back.unwrap_or(Duration::MAX))
        .flatten();
    rows.push(Row::happened(
        "all their descriptors back after",
        back,
        scale.head.max(scale.body) + SLACK,
    ));
    Ok(rows)
}

/// The 99th percentile of each round.
fn rounds(honest: &Honest, scale: &Scale) -> Vec<Duration> {
    (0..scale.rounds)
        .map(|_| percentile(&honest.during(scale.round), 99))
        .collect()
}

struct Attack {
    ends: Vec<End>,
    /// When the server had as many descriptors as before.
    back: Option<Duration>,
}

struct End {
    kind: Kind,
    /// From its connect to the end of what the server says; `None`: it never ended.
    after: Option<Duration>,
    /// What it was told.
    status: Option<u16>,
}

/// Attacks until all are gone or should be, and meanwhile does something else.
fn attack(server: &Server, scale: &Scale, without: usize, meanwhile: impl FnOnce()) -> Result<Attack, String> {
    let limit = scale.head.max(scale.body) + SLACK;
    let begun = Instant::now();
    let mut slow = (0..scale.attackers)
        .map(|at| Slow::connect(server, at))
        .collect::<Result<Vec<Slow>, String>>()?;
    let over = AtomicBool::new(false);
    let back = std::thread::scope(|scope| {
        scope.spawn(|| drip(&mut slow, &over));
        meanwhile();
        let back = server.has_descriptors_within(without, begun, limit);
        over.store(true, Ordering::Relaxed);
        back
    })?;
    let ends = slow.into_iter().map(Slow::end).collect();
    Ok(Attack { ends, back })
}

/// Sends a byte of each in every [`DRIP`], one after the other, until told that it is over.
fn drip(slow: &mut [Slow], over: &AtomicBool) {
    const STEPS: usize = 25;
    let share = slow.len().div_ceil(STEPS);
    loop {
        for part in slow.chunks_mut(share) {
            let begun = Instant::now();
            if over.load(Ordering::Relaxed) {
                // What came last is heard too.
                return slow.iter_mut().for_each(Slow::step);
            }
            part.iter_mut().for_each(Slow::step);
            let step = DRIP / STEPS as u32;
            std::thread::sleep(step.saturating_sub(begun.elapsed()));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Head,
    Body,
}

/// One attacker.
struct Slow {
    socket: Option<Socket>,
    kind: Kind,
    /// What it goes through, and how far it is; then [`drip`](Self::drip) for ever.
    opening: &'static [u8],
    at: usize,
    drip: &'static [u8],
    begun: Instant,
    heard: Vec<u8>,
    ended: Option<Instant>,
}

impl Slow {
    /// Three of four send a head without end, of which each has sent another part to begin with; the fourth sends a body.
    fn connect(server: &Server, at: usize) -> Result<Self, String> {
        const HEAD: &[u8] = b"GET /users/42 HTTP/1.1\r\nHost: localhost\r\nX-Slow: a";
        const LENGTH: &[u8] = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
        const CHUNKED: &[u8] = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
        let (kind, opening, first, drip): (_, _, _, &[u8]) = match at % 8 {
            3 => (Kind::Body, LENGTH, LENGTH.len(), b"a"),
            7 => (Kind::Body, CHUNKED, CHUNKED.len(), b"1\r\na\r\n"),
            _ => (Kind::Head, HEAD, 1 + at % HEAD.len(), b"a"),
        };
        let begun = Instant::now();
        let mut socket =
            Socket::connect(server.address()).map_err(|why| format!("an attacker can't connect: {why}"))?;
        if socket.send(&opening[..first]) != Sent::Bytes(first) {
            return Err("an attacker can't send its first bytes".to_owned());
        }
        Ok(Self {
            socket: Some(socket),
            kind,
            opening,
            at: first,
            drip,
            begun,
            heard: Vec::new(),
            ended: None,
        })
    }

    fn step(&mut self) {
        let Some(socket) = &mut self.socket else { return };
        let mut bytes = [0; 4096];
        let gone = match socket.hear(&mut bytes) {
            Heard::Nothing => false,
            Heard::Bytes(count) => {
                self.heard.extend_from_slice(&bytes[..count]);
                false
            }
            Heard::Closed => {
                self.ended.get_or_insert_with(Instant::now);
                false
            }
            Heard::Reset => true,
        };
        let next = self.opening.get(self.at..=self.at).unwrap_or(self.drip);
        self.at += 1;
        if gone || socket.send(next) == Sent::Gone {
            self.ended.get_or_insert_with(Instant::now);
            self.socket = None;
        }
    }

    fn end(self) -> End {
        End {
            kind: self.kind,
            after: self.ended.map(|ended| ended - self.begun),
            status: response::read(&self.heard, "GET", false, true)
                .ok()
                .map(|(response, _)| response.status),
        }
    }
}
