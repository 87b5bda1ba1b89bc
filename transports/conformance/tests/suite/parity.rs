//! Parity: the same requests to each transport, and answers equal byte for byte, the end of the connection included. What two
//! answers can't have in common is blanked: the date, and a request id that the server made up.
//!
//! What is said stands in [`talks`]; what differs all the same stands in [`KNOWN`].

use std::net::SocketAddr;

use pw_core::Limits;

use crate::client::{Client, get};
use crate::conversation::{self, hold};
use crate::lasting_talks;
use crate::talks::{self, Talk};
use crate::transport::{Server, Settings, Transport};

/// Conversations whose transcripts differ between transports: what they are called, and why that is right.
const KNOWN: &[(&str, &str)] = &[];

/// Threads that talk at once. Most of the time goes into the servers.
const THREADS: usize = 4;

/// What came of holding each conversation with two servers.
#[derive(Default)]
struct Comparison {
    /// Those that differ: name and how.
    differences: Vec<(String, String)>,
    /// The statuses that the first server answered with.
    statuses: Vec<u16>,
}

impl Comparison {
    fn of(one: SocketAddr, other: SocketAddr, talks: &[Talk]) -> Self {
        let compare = |first: usize| {
            let mut comparison = Self::default();
            for talk in talks.iter().skip(first).step_by(THREADS) {
                let (heard, also) = (hold(one, &talk.steps), hold(other, &talk.steps));
                if heard != also {
                    let how = format!("{}\n{}", heard.difference(&also), conversation::shown(&talk.steps));
                    comparison.differences.push((talk.name.clone(), how));
                }
                comparison.statuses.extend(heard.statuses());
            }
            comparison
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..THREADS).map(|first| scope.spawn(move || compare(first))).collect();
            let mut all = Self::default();
            for worker in workers {
                let part = worker.join().expect("a conversation can be held");
                all.differences.extend(part.differences);
                all.statuses.extend(part.statuses);
            }
            all
        })
    }
}

/// A server none of whose handlers waits for the test.
fn start(transport: Transport, settings: Settings) -> Server {
    let server = transport.start_with(settings);
    server.application().resume(1 << 20);
    server
}

/// Each transport beside hyper; hyper itself, too, so that what depends on chance is noticed.
fn the_same_answers(transport: Transport) {
    let (reference, server) = (
        start(Transport::Hyper, Settings::default()),
        start(transport, Settings::default()),
    );
    let file = Client::sending(&reference, get("/static/long.txt")).response();
    let field = |name| file.field(name).expect("a file has validators");
    let talks = [
        talks::all(),
        lasting_talks::all(&field("etag"), &field("last-modified")),
    ]
    .concat();
    assert!(talks.iter().map(|talk| talk.requests).sum::<usize>() > 1000);
    let mut comparison = Comparison::of(reference.address(), server.address(), &talks);
    comparison
        .differences
        .retain(|(name, _)| !KNOWN.iter().any(|(known, _)| known == name));
    let shown = comparison.differences.iter().take(10);
    let shown: String = shown.map(|(name, how)| format!("{name}: {how}\n")).collect();
    let count = comparison.differences.len();
    assert_eq!(count, 0, "hyper and {transport:?} differ, here are some\n{shown}");
    for status in [
        100, 101, 200, 204, 206, 304, 400, 403, 404, 405, 406, 412, 413, 414, 416, 417, 421, 426, 431, 500, 501, 505,
    ] {
        assert!(
            comparison.statuses.contains(&status),
            "nothing is answered with {status}"
        );
    }
}

/// The test above is worth something: a server that differs in one limit is found.
#[test]
fn a_server_that_differs_is_found() {
    type Change = fn(&mut Limits);
    let changes: [(&str, Change); 8] = [
        ("target", |limits| limits.target -= 1),
        ("head", |limits| limits.head += 1024),
        ("fields", |limits| limits.fields -= 1),
        ("body", |limits| limits.body += 1),
        ("chunk_overhead", |limits| limits.chunk_overhead += 1024),
        ("trailers", |limits| limits.trailers += 1024),
        ("trailer_fields", |limits| limits.trailer_fields += 1),
        ("drain", |limits| limits.drain += 1),
    ];
    let talks = [talks::refusals(), talks::bodies()].concat();
    let right = start(Transport::Hyper, Settings::default());
    for (name, change) in changes {
        let wrong = start(Transport::Hyper, Settings::limits(change));
        let comparison = Comparison::of(right.address(), wrong.address(), &talks);
        assert!(
            !comparison.differences.is_empty(),
            "nothing shows another limit of {name}"
        );
    }
}

on_every_transport! { the_same_answers, }
