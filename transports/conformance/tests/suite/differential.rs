//! Differential fuzzing, bounded: connections with requests at random, good and spoilt, their bytes cut at random, to hyper and to each
//! other transport. Whatever is answered differently, bytes or end, is a disagreement: it is made as small as it gets and printed.
//!
//! Every run makes the same connections. `POLYWIRE_SEED=7` makes others, `POLYWIRE_CASES=100000` more of them.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use pw_conformance::draw::Draw;
use pw_conformance::request::Request;
use pw_core::Limits;

use crate::conversation::{End, Heard, Step, hold, shown};
use crate::transport::{Settings, Transport};

/// Disagreements that are right: how they are told from others, and why.
const KNOWN: &[Known] = &[];

type Known = (fn(&Case) -> bool, &'static str);

/// Connections of a run, where nothing else is asked for.
const CASES: usize = 2500;
/// Threads that talk at once.
const THREADS: usize = 4;
/// Disagreements after which a run ends.
const ENOUGH: usize = 3;

/// Routes that are asked for. None waits for the test, and none answers at such a length that comparing takes long.
const ROUTES: [(&str, &str); 25] = [
    ("GET", "/ping"),
    ("GET", "/users/7"),
    ("POST", "/echo"),
    ("POST", "/small"),
    ("POST", "/ignore"),
    ("POST", "/peek"),
    ("POST", "/twice"),
    ("POST", "/panic"),
    ("POST", "/mirror/x"),
    ("PUT", "/seen/x"),
    ("GET", "/seen/y"),
    ("GET", "/turns"),
    ("GET", "/panic"),
    ("GET", "/close"),
    ("GET", "/search"),
    ("GET", "/fields"),
    ("GET", "/status/204"),
    ("GET", "/status/205"),
    ("GET", "/bytes/17000"),
    ("GET", "/nowhere"),
    ("GET", "/static/hello.txt"),
    ("GET", "/static/long.txt"),
    ("GET", "/count/5"),
    ("GET", "/download/17000"),
    ("POST", "/upload"),
];

/// What is sent on one connection.
#[derive(Clone, Debug)]
struct Case {
    requests: Vec<Vec<u8>>,
    /// Bytes of all of it that are sent, if not all.
    cut_short: Option<usize>,
    /// Where it is cut into writes, and whether the server is left time before the next.
    cuts: Vec<(usize, bool)>,
}

impl Case {
    fn drawn(draw: &mut Draw<'_>) -> Self {
        let mut requests = Vec::new();
        let spoilt = draw.below(3);
        for id in 0..draw.between(1, 6) {
            let mut request = Request::good(draw, &ROUTES, &format!("case-{id}"));
            // One connection in three is good, and most requests on the others.
            if spoilt > 0 && draw.once_in(3) {
                for _ in 0..draw.between(1, 3) {
                    request.mutate(draw);
                }
            }
            requests.push(request.bytes());
        }
        let length = requests.iter().map(Vec::len).sum();
        let cut_short = draw.once_in(6).then(|| draw.below(length + 1));
        let cuts = draw
            .cuts(length, 5)
            .into_iter()
            .map(|at| (at, draw.once_in(4)))
            .collect();
        Self {
            requests,
            cut_short,
            cuts,
        }
    }

    fn steps(&self) -> Vec<Step> {
        let mut bytes = self.requests.concat();
        bytes.truncate(self.cut_short.unwrap_or(bytes.len()));
        let mut steps = Vec::new();
        let mut from = 0;
        for &(at, pause) in &self.cuts {
            let to = at.min(bytes.len());
            if from < to {
                steps.push(Step::Send(bytes[from..to].to_vec()));
                if pause {
                    steps.push(Step::Pause);
                }
                from = to;
            }
        }
        steps.push(Step::Send(bytes[from..].to_vec()));
        steps
    }

    fn held_with(&self, server: SocketAddr) -> Heard {
        let mut heard = hold(server, &self.steps());
        // What is sent in several writes may come when the connection is closed already. That it is not reset where all was sent
        // before is what other tests are for.
        if heard.end == End::Reset && !self.cuts.is_empty() {
            heard.end = End::Closed;
        }
        heard
    }

    /// The disagreement about it, if there is one.
    fn disagreement(&self, one: SocketAddr, other: SocketAddr) -> Option<String> {
        let (heard, also) = (self.held_with(one), self.held_with(other));
        (heard != also).then(|| heard.difference(&also))
    }

    /// The smallest case made of this by leaving something out that is still disagreed about.
    fn smallest(mut self, one: SocketAddr, other: SocketAddr) -> Self {
        while let Some(less) = self
            .smaller()
            .into_iter()
            .find(|less| less.disagreement(one, other).is_some())
        {
            self = less;
        }
        self
    }

    /// The same with one thing left out.
    fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut with = |change: &dyn Fn(&mut Self)| {
            let mut less = self.clone();
            change(&mut less);
            all.push(less);
        };
        if let Some(end) = self.cut_short {
            with(&|less| {
                less.requests = vec![less.requests.concat()];
                less.requests[0].truncate(end);
                less.cut_short = None;
            });
        }
        for at in 0..self.requests.len() {
            with(&|less| drop(less.requests.remove(at)));
        }
        for at in 0..self.cuts.len() {
            with(&|less| {
                less.cuts.remove(at);
            });
        }
        for (at, request) in self.requests.iter().enumerate() {
            let lines: Vec<&[u8]> = request.split_inclusive(|byte| *byte == b'\n').collect();
            // A line end may have been made very long.
            for line in 1..lines.len().min(100) {
                with(&|less| less.requests[at] = [lines[..line].concat(), lines[line + 1..].concat()].concat());
            }
        }
        all
    }
}

/// Limits that are met often.
fn limits(limits: &mut Limits) {
    *limits = Limits {
        target: 200,
        head: 1500,
        fields: 20,
        body: 2000,
        chunk_overhead: 300,
        trailers: 200,
        trailer_fields: 4,
        drain: 1000,
        output: 4000,
        ..Limits::default()
    };
}

/// The number that an environment variable asks for.
fn asked(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is a number, not {text}")),
    )
}

/// The seed of a run.
fn seed() -> u64 {
    asked("POLYWIRE_SEED").unwrap_or(1)
}

/// Runs cases until enough of them are disagreed about, and gives those, with their numbers.
fn disagreements(one: SocketAddr, other: SocketAddr, cases: usize, enough: usize) -> Vec<(usize, Case)> {
    let seed = seed();
    let (next, found) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let run = || {
        let mut mine = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= cases || found.load(Ordering::Relaxed) >= enough {
                return mine;
            }
            let case = Case::drawn(&mut Draw::seeded(seed << 32 | number as u64));
            if case.disagreement(one, other).is_some() && !KNOWN.iter().any(|(is, _)| is(&case)) {
                found.fetch_add(1, Ordering::Relaxed);
                mine.push((number, case));
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(run)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a case can be run"))
            .collect()
    })
}

/// A disagreement, for people: as small as it gets, and how often it is one.
fn described(number: usize, case: Case, one: SocketAddr, other: SocketAddr) -> String {
    let again = (0..10).filter(|_| case.disagreement(one, other).is_some()).count();
    let case = case.smallest(one, other);
    let how = case.disagreement(one, other);
    let how = how.unwrap_or_else(|| "now and then".to_owned());
    let seed = seed();
    format!(
        "case {number} of seed {seed}, {again} times in 10 more: differs {how}\n{}",
        shown(&case.steps())
    )
}

/// Each transport beside hyper; hyper beside itself shows what depends on chance.
fn no_disagreement(transport: Transport) {
    let start = |transport: Transport| transport.start_with(Settings::limits(limits));
    let (one, other) = (start(Transport::Hyper), start(transport));
    let cases = asked("POLYWIRE_CASES").map_or(CASES, |cases| cases as usize);
    let (one, other) = (one.address(), other.address());
    let found: Vec<String> = disagreements(one, other, cases, ENOUGH)
        .into_iter()
        .map(|(number, case)| described(number, case, one, other))
        .collect();
    assert!(
        found.is_empty(),
        "hyper and {transport:?} disagree\n{}",
        found.join("\n")
    );
}

/// The test above is worth something: a server that differs in one limit is found.
#[test]
fn a_server_that_differs_is_found() {
    type Change = fn(&mut Limits);
    let changes: [(&str, Change); 8] = [
        ("target", |limits| limits.target = 50),
        ("head", |limits| limits.head = 600),
        ("fields", |limits| limits.fields = 7),
        ("body", |limits| limits.body = 2500),
        ("chunk_overhead", |limits| limits.chunk_overhead = 10),
        ("trailers", |limits| limits.trailers = 40),
        ("trailer_fields", |limits| limits.trailer_fields = 2),
        ("drain", |limits| limits.drain = 900),
    ];
    let right = Transport::Hyper.start_with(Settings::limits(limits));
    for (name, change) in changes {
        let wrong = Transport::Hyper.start_with(Settings::limits(|given| {
            limits(given);
            change(given);
        }));
        let found = disagreements(right.address(), wrong.address(), CASES, 1);
        assert!(!found.is_empty(), "nothing shows another limit of {name}");
    }
}

on_every_transport! { no_disagreement, }
