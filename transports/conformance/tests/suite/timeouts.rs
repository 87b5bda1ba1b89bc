//! Each time limit, set short: what is late is ended as the table says, not earlier, and what is merely slow goes on.
//!
//! That a limit is not applied too early is measured from before the client's first move, so a busy machine can't
//! make it fail; that it is applied at all is bounded by the client's patience alone.

use std::time::{Duration, Instant};

use pw_core::Timeouts;

use crate::application::LARGE;
use crate::client::{Client, chunking, declaring, get};
use crate::transport::{Server, Settings, Transport};

const SHORT: Duration = Duration::from_millis(300);
/// What ends before this ends too early: a transport may look at a coarse clock, and that on a busy machine.
const EARLIEST: Duration = Duration::from_millis(150);
/// The pause of a client that drips: well within [`SHORT`].
const PAUSE: Duration = Duration::from_millis(20);

/// A server with one timeout set short; the others must not be what ends a connection.
fn start(transport: Transport, set: impl FnOnce(&mut Timeouts)) -> Server {
    transport.start_with(Settings::timeouts(set))
}

/// Expects 408, the close said and done, no earlier than [`EARLIEST`] after `begun`.
fn expect_late(client: &mut Client, begun: Instant) {
    let response = client.response();
    assert!(begun.elapsed() >= EARLIEST, "after {:?} already", begun.elapsed());
    assert_eq!(response.status, 408);
    assert_eq!(response.field("connection").as_deref(), Some("close"));
    client.expect_close();
}

/// Expects a close without a word, no earlier than [`EARLIEST`] after `begun`.
fn expect_silent_close(client: &mut Client, begun: Instant) {
    client.expect_close();
    assert!(begun.elapsed() >= EARLIEST, "after {:?} already", begun.elapsed());
}

fn first_byte(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.first_byte = SHORT);
    let begun = Instant::now();
    expect_silent_close(&mut Client::to(&server), begun);
    // It says nothing of what follows the first byte.
    let mut client = Client::sending(&server, "G");
    assert!(!client.hears_within(SHORT * 2));
    client.send(&get("/")[1..]);
    assert_eq!(client.response().status, 200);
    assert!(!client.hears_within(SHORT * 2));
    client.expect_alive();
}

fn head(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.head = SHORT);
    for start in [
        "G",
        "GET / HT",
        "GET / HTTP/1.1\r\nHost: local",
        "GET / HTTP/1.1\r\nHost: localhost\r\n",
    ] {
        let begun = Instant::now();
        expect_late(&mut Client::sending(&server, start), begun);
    }
    // The clock of a head starts with its first byte, not with the connection or the last answer.
    let mut client = Client::to(&server);
    assert!(!client.hears_within(SHORT * 2));
    client.expect_alive();
    assert!(!client.hears_within(SHORT * 2));
    let begun = Instant::now();
    client.send("GET / HT");
    expect_late(&mut client, begun);
}

/// Bytes that keep coming don't put the end of a head off.
fn dripped_head(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.head = SHORT);
    let begun = Instant::now();
    let mut client = Client::to(&server);
    let endless = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(1000));
    client.drip(endless.as_bytes(), PAUSE);
    expect_late(&mut client, begun);
}

fn keep_alive(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.keep_alive = SHORT);
    let mut client = Client::to(&server);
    let mut begun = Instant::now();
    for _ in 0..3 {
        begun = Instant::now();
        client.expect_alive();
    }
    expect_silent_close(&mut client, begun);
    // Time in a handler is no idle time.
    let mut client = Client::sending(&server, get("/pause"));
    assert!(!client.hears_within(SHORT * 2));
    server.application().resume(1);
    assert_eq!(client.response().body, b"resumed");
}

fn body(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.body = SHORT);
    let begun_one = [&declaring("/echo", 10)[..], b"begun"].concat();
    let begun_chunk = [&chunking("/echo")[..], b"5\r\nbe"].concat();
    for request in [declaring("/echo", 10), begun_one, chunking("/echo"), begun_chunk] {
        let begun = Instant::now();
        expect_late(&mut Client::sending(&server, request), begun);
    }
}

/// A body that comes, but by drops, is late too.
fn dripped_body(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.body = SHORT);
    let begun = Instant::now();
    let mut client = Client::sending(&server, declaring("/echo", 10_000));
    client.drip(&[b'b'; 1000], PAUSE);
    expect_late(&mut client, begun);
}

/// A body that comes slowly, but fast enough, is taken.
fn slow_body(transport: Transport) {
    let server = start(transport, |timeouts| {
        timeouts.body = Duration::from_secs(1);
        timeouts.body_rate = 4;
    });
    let begun = Instant::now();
    let mut client = Client::sending(&server, declaring("/echo", 100));
    client.drip(&[b'b'; 100], PAUSE);
    assert_eq!(client.response().body, [b'b'; 100]);
    assert!(begun.elapsed() > Duration::from_secs(1), "the test itself was too fast");
    client.expect_alive();
}

/// The rest of a body nobody reads is not waited for longer than any other.
fn unread_body(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.body = SHORT);
    let begun = Instant::now();
    let mut client = Client::sending(&server, declaring("/ignore", 10));
    assert_eq!(client.response().body, b"ignored");
    expect_silent_close(&mut client, begun);
}

fn write(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.write = SHORT);
    let begun = Instant::now();
    let mut client = Client::sending(&server, get("/large"));
    client.expect_no_more_taken();
    assert!(begun.elapsed() >= EARLIEST, "after {:?} already", begun.elapsed());
}

/// A client that reads slowly, but reads, goes on being served. Its own kernel holds little, so that what it takes the server
/// notices soon.
fn slow_reader(transport: Transport) {
    const LIMIT: Duration = Duration::from_secs(1);
    for _ in 0..20 {
        let server = start(transport, |timeouts| timeouts.write = LIMIT);
        let mut client = Client::receiving_little(&server);
        client.send(get("/large"));
        let (mut taken, mut pauses, mut longest) = (0, 0, Duration::ZERO);
        let begun = Instant::now();
        let served = loop {
            if begun.elapsed() > LIMIT * 3 {
                break true;
            }
            let reading = Instant::now();
            let read = client.try_discard(64 << 10);
            if taken / (256 << 10) > pauses {
                pauses += 1;
                std::thread::park_timeout(PAUSE);
            }
            longest = longest.max(reading.elapsed());
            match read {
                Ok(count) => taken += count,
                Err(_) => break false,
            }
        };
        // A round in which this test was kept from running says nothing.
        if longest < LIMIT / 4 {
            assert!(taken < LARGE, "the test itself was too fast");
            assert!(served, "given up after {:?}", begun.elapsed());
            return;
        }
    }
    panic!("this machine is too busy to tell");
}

/// A client that was refused and goes on sending is given up after a while.
fn linger(transport: Transport) {
    let server = start(transport, |timeouts| timeouts.linger = SHORT);
    let begun = Instant::now();
    let mut client = Client::sending(&server, declaring("/echo", 3 << 20));
    assert_eq!(client.response().status, 413);
    client.expect_close();
    client.expect_no_more_taken();
    assert!(begun.elapsed() >= EARLIEST, "after {:?} already", begun.elapsed());
}

on_every_transport! {
    first_byte, head, dripped_head, keep_alive, body, dripped_body, slow_body, unread_body, write, slow_reader, linger,
}
