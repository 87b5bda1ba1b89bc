//! What handlers may do that is unusual, unwise or wrong: their clients are answered all the same, or at least everybody else's are.

use std::time::{Duration, Instant};

use crate::application::{Event, LARGE};
use crate::client::{Client, chunk, chunking, declaring, get, post};
use crate::transport::{Down, PATIENCE, Settings, Transport};

/// A timeout that is set short.
const SHORT: Duration = Duration::from_secs(1);
/// For how long a handler keeps its thread: longer than [`SHORT`].
const BLOCKED: Duration = Duration::from_millis(1600);
/// What a client takes its time for: well within [`SHORT`].
const PAUSE: Duration = Duration::from_millis(150);

fn blocking(name: &str) -> String {
    format!("/strange/{name}?{}", BLOCKED.as_millis())
}

fn unusual(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    for (name, text) in [
        ("woken-by-thread", "woken"),
        ("spawning", "spawned"),
        ("aborted", "aborted"),
        ("blocking-task", "done"),
        ("blocking", "blocked"),
        ("timeout?60000", ""),
    ] {
        client.send(get(&format!("/strange/{name}")));
        let response = client.response();
        assert_eq!((response.status, &response.body[..]), (200, text.as_bytes()), "{name}");
    }
    client.send(get("/strange/runtime-in-runtime"));
    assert_eq!(client.response().status, 500);
    for name in ["vector", "text"] {
        client.send(get(&format!("/strange/{name}")));
        assert_eq!(client.response().body, name.as_bytes()[..1].repeat(10 << 20), "{name}");
    }
    client.expect_alive();
}

/// A body that was read in part and then left can't be told from the next request, whatever became of its reader.
fn read_in_part(transport: Transport) {
    let server = transport.start();
    let chunks = |path: &str| [chunking(path), chunk(b"some")].concat();
    let bytes = |path: &str| [declaring(path, 100), b"some".to_vec()].concat();
    for body in [chunks as fn(&str) -> Vec<u8>, bytes] {
        for (name, status) in [("read-in-part", 200), ("panics-in-part", 500), ("timeout?100", 200)] {
            let mut client = Client::sending(&server, body(&format!("/strange/{name}")));
            let response = client.response();
            assert_eq!(response.status, status, "{name}");
            assert_eq!(response.field("connection").as_deref(), Some("close"), "{name}");
            client.expect_close();
        }
    }
}

/// The smallest limit wins, but what was declared is refused before it is read, and is still there for who takes more.
fn read_with_less(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, post("/strange/read-with-less", b"12345"));
    assert_eq!(client.response().body, b"Err(413) Ok(5)");
    client.expect_alive();
    let chunks = [
        chunking("/strange/read-with-less"),
        chunk(b"12345"),
        b"0\r\n\r\n".to_vec(),
    ]
    .concat();
    client.send(chunks);
    let response = client.response();
    assert_eq!(response.body, b"Err(413) Err(413)");
    assert_eq!(response.field("connection").as_deref(), Some("close"));
    client.expect_close();
}

/// Time in which nobody read a body is not its client's.
fn read_again(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.body = SHORT));
    for sent in ["", "hello"] {
        let mut client = Client::sending(&server, declaring("/strange/read-again", 10));
        client.send(sent);
        server.expect_event(Event::Paused);
        assert!(!client.hears_within(SHORT * 2));
        server.application().resume(1);
        server.expect_event(Event::Resumed);
        assert!(!client.hears_within(PAUSE));
        client.send(&b"helloworld"[sent.len()..]);
        assert_eq!(client.response().body, b"helloworld");
        client.expect_alive();
    }
}

/// A body is late for a reader that is polled only when what it waits for has come.
fn read_with_own_waker(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.body = SHORT));
    let mut client = Client::sending(&server, post("/strange/own-waker", b"body"));
    assert_eq!(client.response().body, b"body");
    for begun in [
        declaring("/strange/own-waker", 10),
        [chunking("/strange/own-waker"), chunk(b"some")].concat(),
    ] {
        client.send(begun);
        assert_eq!(client.response().status, 408);
        client.expect_close();
        client = Client::to(&server);
    }
}

/// Time for which a handler kept its thread is not its client's: the body may still come,
fn blocking_then_read(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.body = SHORT));
    let mut client = Client::sending(&server, declaring(&blocking("blocking-then-read"), 4));
    assert!(!client.hears_within(BLOCKED + PAUSE));
    client.send("body");
    assert_eq!(client.response().body, b"body");
    client.expect_alive();
}

/// the answer may still be taken,
fn blocking_then_large(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.write = SHORT));
    let mut client = Client::receiving_little(&server);
    client.send(get(&blocking("blocking-then-large")));
    assert!(client.hears_within(PATIENCE));
    std::thread::park_timeout(PAUSE);
    assert_eq!(client.response().body.len(), LARGE);
    client.expect_alive();
}

/// the rest of a head may still come,
fn blocking_then_head(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.head = SHORT));
    let next = get("/ping");
    let (beginning, rest) = next.split_at(10);
    let mut client = Client::sending(&server, [&get(&blocking("blocking")), beginning].concat());
    assert_eq!(client.response().body, b"blocked");
    assert!(!client.hears_within(PAUSE));
    client.send(rest);
    assert_eq!(client.response().status, 200);
}

/// and the last answer is not lost by a reset.
fn blocking_then_close(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.linger = SHORT));
    let mut client = Client::sending(&server, declaring(&blocking("blocking-then-close"), 1 << 20));
    assert!(client.hears_within(PATIENCE));
    for _ in 0..3 {
        std::thread::park_timeout(PAUSE / 3);
        client.send([b'b'; 1000]);
    }
    assert_eq!(client.response().body, b"blocked");
    client.expect_close();
}

/// A client that has sent thousands of requests at once is not served in one go while others wait.
fn flood(transport: Transport) {
    let server = transport.start();
    let mut honest: Vec<Client> = (0..4).map(|_| Client::to(&server)).collect();
    honest.iter_mut().for_each(Client::expect_alive);
    let flood = Client::to(&server);
    flood.send_meanwhile(get("/strange/working?1").repeat(20_000).into_bytes());
    while server.application().handled() < 500 {
        std::thread::yield_now();
    }
    for client in &mut honest {
        let before = server.application().handled();
        client.expect_alive();
        let meanwhile = server.application().handled() - before;
        assert!(meanwhile < 1500, "{meanwhile} requests of one client came first");
    }
    flood.reset();
}

/// A panic in what a handler leaves to be dropped costs its own connection, at most.
fn panics_when_dropped(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.connections = Some(2)));
    let mut other = Client::to(&server);
    for _ in 0..4 {
        let client = Client::sending(&server, get("/strange/panics-when-dropped"));
        server.expect_event(Event::Paused);
        client.reset();
        server.expect_event(Event::Cancelled);
        other.expect_alive();
        let mut client = Client::sending(&server, get("/strange/panics-when-dropped"));
        server.expect_event(Event::Paused);
        server.application().resume(1);
        server.expect_event(Event::Resumed);
        assert_eq!(client.response().status, 500);
        client.expect_alive();
        drop(client);
        let mut client = Client::sending(&server, get("/strange/content-panics"));
        client.half_close();
        client.end();
        other.expect_alive();
    }
    let _busy = Client::sending(&server, get("/strange/panics-when-dropped"));
    server.expect_event(Event::Paused);
    server.stop();
    other.expect_close();
    server.stop();
    // The other may still be lingered for.
    assert!(matches!(server.down_within(PATIENCE), Some(Down::Cut(1..=2))));
    server.expect_event(Event::Cancelled);
}

on_every_transport! {
    unusual, read_in_part, read_with_less, read_again, read_with_own_waker, blocking_then_read, blocking_then_large,
    blocking_then_head, blocking_then_close, flood, panics_when_dropped,
}

/// What a handler has left to its thread does not keep the server from going down. (On `pw-hyper` no handler can leave it there.)
#[test]
fn left_work() {
    let server = Transport::Fast.start();
    let closing = "GET /strange/leaves-work?6000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut client = Client::sending(&server, closing);
    assert_eq!(client.response().body, b"left");
    client.expect_close();
    let begun = Instant::now();
    server.stop();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
    assert!(begun.elapsed() < Duration::from_secs(4), "after {:?}", begun.elapsed());
}
