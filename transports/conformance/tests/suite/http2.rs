//! HTTP/2 by prior knowledge: requests, the rules HTTP/1 has too, and limits of its own.

use std::time::{Duration, Instant};

use crate::application::{Event, LARGE, SMALL};
use crate::frames::{
    Answer, DATA, END_STREAM, Frames, INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS, MAX_HEADER_LIST_SIZE, PREFACE,
    RST_STREAM, frame, pseudo, request,
};
use crate::transport::{Down, PATIENCE, Settings, Transport};

const SHORT: Duration = Duration::from_millis(300);
/// What ends before this ends too early.
const EARLIEST: Duration = Duration::from_millis(150);

fn requests(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    client.get(1, "/");
    assert_eq!(client.answer(1), Answer::Whole(200, b"ok".to_vec()));
    client.get(3, "/users/%37?x=y");
    assert_eq!(
        client.answer(3),
        Answer::Whole(200, b"{\"id\":7,\"name\":\"ann\"}".to_vec())
    );
    client.post(5, "/echo", b"body");
    assert_eq!(client.answer(5), Answer::Whole(200, b"body".to_vec()));
    assert_eq!(
        client.ask(9, &pseudo("OPTIONS", "/", "localhost")),
        Answer::Whole(204, Vec::new())
    );
    assert_eq!(
        client.ask(11, &pseudo("OPTIONS", "*", "localhost")),
        Answer::Whole(204, Vec::new())
    );
    for (stream, method, path, status) in [
        (13, "GET", "/nowhere", 404),
        (15, "DELETE", "/", 405),
        (17, "BREW", "/", 501),
        (19, "GET", "/search?page=x", 400),
        (21, "GET", "/users/%ff", 400),
    ] {
        assert_eq!(
            client.ask(stream, &pseudo(method, path, "localhost")).status(),
            Some(status),
            "{method} {path}"
        );
    }
    client.get(23, "/large");
    assert!(matches!(client.answer(23), Answer::Whole(200, body) if body.len() == LARGE));
    client.expect_alive(25);
}

/// The answer to HEAD has no content, and says how much that of GET would have.
fn head(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    for (stream, path, status) in [(1, "/", 200), (3, "/nowhere", 404), (5, "/large", 200)] {
        let answer = client.ask(stream, &pseudo("HEAD", path, "localhost"));
        assert_eq!(answer, Answer::Whole(status, Vec::new()), "{path}");
    }
    client.expect_alive(7);
}

fn streams_beside_each_other(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    client.get(1, "/pause");
    server.expect_event(Event::Paused);
    client.send(request(3, 0, &pseudo("POST", "/echo", "localhost")));
    client.expect_alive(5);
    client.get(7, "/panic");
    assert_eq!(client.answer(7).status(), Some(500));
    client.send(frame(DATA, END_STREAM, 3, b"late"));
    assert_eq!(client.answer(3), Answer::Whole(200, b"late".to_vec()));
    server.application().resume(1);
    assert_eq!(client.answer(1), Answer::Whole(200, b"resumed".to_vec()));
}

fn authority(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    let mut stream = 1;
    let mut ask = |fields: &[(&str, &str)]| {
        let answer = client.ask(stream, fields);
        stream += 2;
        answer
    };
    let without = [(":method", "GET"), (":scheme", "http"), (":path", "/")];
    let with = |host| [&without[..], &[("host", host)]].concat();
    let both = |authority, host| [&pseudo("GET", "/", authority)[..], &[("host", host)]].concat();
    for good in [
        with("localhost"),
        both("localhost", "localhost"),
        both("localhost:80", "LOCALHOST:80"),
    ] {
        assert_eq!(ask(&good).status(), Some(200), "{good:?}");
    }
    let bad = [
        without.to_vec(),
        with(""),
        with("a b"),
        with("user@a"),
        with("a:b"),
        [&with("a")[..], &[("host", "a")]].concat(),
        both("a", "b"),
        pseudo("GET", "/", "user@a").to_vec(),
        pseudo("GET", "/", "a:b").to_vec(),
        pseudo("GET", "/", "").to_vec(),
        pseudo("GET", "/", "[::1").to_vec(),
        pseudo("GET", "/", "a/b").to_vec(),
    ];
    for bad in bad {
        // What is no URI at all is malformed to `h2`, which resets the stream (RFC 9113 8.1.1).
        let answer = ask(&bad);
        assert!(
            matches!(answer, Answer::Whole(400, _) | Answer::Reset(1)),
            "{bad:?}: {answer:?}"
        );
    }
    client.expect_alive(101);
    assert_eq!(server.application().handled(), 4);
}

/// What RFC 9113 calls malformed reaches no handler and costs its stream at most.
fn malformed(transport: Transport) {
    let server = transport.start();
    let base = pseudo("GET", "/", "localhost");
    let with = |more: &[(&'static str, &'static str)]| [&base[..], more].concat();
    let bad = [
        with(&[("Upper", "case")]),
        with(&[("connection", "close")]),
        with(&[("transfer-encoding", "chunked")]),
        with(&[("te", "gzip")]),
        with(&[("x", "a\r\nb: c")]),
        with(&[("x", "a\0")]),
        with(&[("x y", "a")]),
        with(&[(":path", "/again")]),
        with(&[(":unknown", "x")]),
        with(&[("content-length", "5")]),
        base[..1].to_vec(),
        pseudo("GET", "", "localhost").to_vec(),
        pseudo("GET", "no-slash", "localhost").to_vec(),
        pseudo("G T", "/", "localhost").to_vec(),
    ];
    for bad in bad {
        let mut client = Frames::to(&server);
        let answer = client.ask(1, &bad);
        assert!(
            matches!(answer, Answer::Whole(400, _) | Answer::Reset(_) | Answer::Gone),
            "{bad:?}: {answer:?}"
        );
        Frames::to(&server).expect_alive(1);
    }
    let length = [&pseudo("POST", "/echo", "localhost")[..], &[("content-length", "5")]].concat();
    for body in [&b"four"[..], b"sixsix"] {
        let mut client = Frames::to(&server);
        client.send([request(1, 0, &length), frame(DATA, END_STREAM, 1, body)].concat());
        let answer = client.answer(1);
        assert!(
            matches!(answer, Answer::Whole(400, _) | Answer::Reset(_)),
            "{body:?}: {answer:?}"
        );
        client.expect_alive(3);
    }
}

fn limits(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    let settings = client.settings();
    assert!(settings.contains(&(MAX_CONCURRENT_STREAMS, 100)), "{settings:?}");
    assert!(settings.contains(&(MAX_HEADER_LIST_SIZE, 16 << 10)), "{settings:?}");
    let long = format!("/?{}", "q".repeat(8 << 10));
    assert_eq!(client.ask(1, &pseudo("GET", &long, "localhost")).status(), Some(414));
    let names: Vec<String> = (0..101).map(|i| format!("x-{i}")).collect();
    let many = |count: usize| {
        let more = names[..count].iter().map(|name| (name.as_str(), "x"));
        pseudo("GET", "/", "localhost")
            .into_iter()
            .chain(more)
            .collect::<Vec<_>>()
    };
    assert_eq!(client.ask(3, &many(99)).status(), Some(200));
    assert_eq!(client.ask(5, &many(101)).status(), Some(431));
    let value = "x".repeat(17 << 10);
    let large = [&pseudo("GET", "/", "localhost")[..], &[("x", value.as_str())]].concat();
    let answer = client.ask(7, &large);
    assert!(matches!(answer, Answer::Whole(431, _) | Answer::Reset(_)), "{answer:?}");
    client.expect_alive(9);

    let length = [
        &pseudo("POST", "/echo", "localhost")[..],
        &[("content-length", "1048577")],
    ]
    .concat();
    client.send(request(11, 0, &length));
    assert_eq!(client.answer(11).status(), Some(413));
    client.send(request(13, 0, &pseudo("POST", "/small", "localhost")));
    client.send(frame(DATA, 0, 13, &[b'b'; SMALL + 1]));
    assert_eq!(client.answer(13).status(), Some(413));
    client.post(15, "/small", &[b'b'; SMALL]);
    assert_eq!(client.answer(15), Answer::Whole(200, vec![b'b'; SMALL]));
}

fn streams(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.http2_streams = 4));
    let mut client = Frames::to(&server);
    assert!(client.settings().contains(&(MAX_CONCURRENT_STREAMS, 4)));
    client.expect_pong();
    for stream in [1, 3, 5, 7] {
        client.get(stream, "/pause");
        server.expect_event(Event::Paused);
    }
    client.get(9, "/ping");
    const REFUSED_STREAM: u32 = 7;
    assert_eq!(client.answer(9), Answer::Reset(REFUSED_STREAM));
    server.application().resume(4);
    for stream in [1, 3, 5, 7] {
        assert_eq!(client.answer(stream).status(), Some(200));
    }
    client.expect_alive(11);
}

/// A client that begins as HTTP/2 and does not go on is not waited for.
fn preface(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.head = SHORT));
    for start in [
        &PREFACE[..1],
        &PREFACE[..10],
        PREFACE,
        &[PREFACE, &[0, 0, 6, 4]].concat(),
    ] {
        let begun = Instant::now();
        let mut client = Frames::silent(&server);
        client.send(start);
        client.expect_bytes_end();
        assert!(
            begun.elapsed() >= EARLIEST,
            "after {:?} already: {}",
            begun.elapsed(),
            start.escape_ascii()
        );
    }
    // What begins with the preface and goes on otherwise is ended, and no handler sees it.
    for start in [
        &b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"[..],
        b"PRI * HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
        let mut client = Frames::silent(&server);
        client.send(start);
        client.expect_bytes_end();
    }
    let mut client = Frames::silent(&server);
    client.send([PREFACE, &frame(DATA, 0, 1, b"no settings")].concat());
    client.expect_end();
    assert_eq!(server.application().handled(), 0);
    // In pieces, it is as good as any.
    let mut client = Frames::silent(&server);
    for byte in PREFACE {
        client.send([*byte]);
    }
    client.send(frame(crate::frames::SETTINGS, 0, 0, &[]));
    client.expect_alive(1);
}

fn idle(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.keep_alive = SHORT));
    let begun = Instant::now();
    let mut client = Frames::to(&server);
    client.expect_alive(1);
    assert!(matches!(client.goaway(), Some((_, 0))));
    client.expect_end();
    assert!(begun.elapsed() >= EARLIEST);
    // A stream under way is no idleness.
    let mut client = Frames::to(&server);
    client.get(1, "/pause");
    assert!(client.hears_within(PATIENCE), "SETTINGS come");
    client.expect_pong();
    assert!(!client.hears_within(SHORT * 2));
    server.application().resume(1);
    assert_eq!(client.answer(1).status(), Some(200));
}

fn body_timeout(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.body = SHORT));
    let mut client = Frames::to(&server);
    client.send(request(1, 0, &pseudo("POST", "/echo", "localhost")));
    client.send(frame(DATA, 0, 1, b"some"));
    let answer = client.answer(1);
    assert!(matches!(answer, Answer::Whole(408, _) | Answer::Reset(_)), "{answer:?}");
    client.expect_alive(3);
}

/// A client that takes nothing is cut, by the socket or by its windows.
fn write_timeout(transport: Transport) {
    let settings = Settings::timeouts(|timeouts| {
        timeouts.write = SHORT;
        timeouts.keep_alive = SHORT;
    });
    let server = transport.start_with(settings);
    let mut client = Frames::to(&server);
    client.get(1, "/large");
    client.expect_no_more_taken();
    let mut client = Frames::with_settings(&server, &[(INITIAL_WINDOW_SIZE, 0)]);
    client.get(1, "/large");
    client.expect_end();
}

/// Resetting a stream takes its handler away, and nothing else.
fn reset(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    for stream in [1, 5, 9] {
        client.get(stream, "/pause");
        server.expect_event(Event::Paused);
        client.send(frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()));
        server.expect_event(Event::Cancelled);
        client.expect_alive(stream + 2);
    }
    client.get(13, "/pause");
    server.expect_event(Event::Paused);
    drop(client);
    server.expect_event(Event::Cancelled);
    Frames::to(&server).expect_alive(1);
}

fn shutdown(transport: Transport) {
    let server = transport.start();
    let mut idle = Frames::to(&server);
    idle.expect_alive(1);
    let mut busy = Frames::to(&server);
    busy.get(1, "/pause");
    server.expect_event(Event::Paused);
    server.stop();
    assert!(matches!(idle.goaway(), Some((_, 0))));
    idle.expect_end();
    assert!(matches!(busy.goaway(), Some((_, 0))));
    assert_eq!(server.down_within(Duration::ZERO), None);
    server.application().resume(1);
    assert_eq!(busy.answer(1), Answer::Whole(200, b"resumed".to_vec()));
    busy.expect_end();
    drop((idle, busy));
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

on_http2_transports! {
    requests, head, streams_beside_each_other, authority, malformed, limits, streams, preface, idle, body_timeout, write_timeout, reset,
    shutdown,
}
