//! Each row of the table of limits: what is just within is served, what is just above is refused as the table says.

use std::time::Duration;

use crate::application::{PAGE, SMALL};
use crate::client::{Client, End, chunk, chunking, declaring, get, post};
use crate::transport::{PATIENCE, Server, Settings, Transport};

/// Sends it, and expects a refusal with this status, the close said and done.
fn expect_refusal(server: &Server, request: impl AsRef<[u8]>, status: u16) {
    let mut client = Client::sending(server, request);
    let response = client.response();
    assert_eq!(response.status, status);
    assert_eq!(response.field("connection").as_deref(), Some("close"));
    assert_eq!(
        response.field("content-type").as_deref(),
        Some("application/problem+json")
    );
    client.expect_close();
}

/// Sends it, and expects 200 and a connection that goes on.
fn expect_served(server: &Server, request: impl AsRef<[u8]>) {
    let mut client = Client::sending(server, request);
    assert_eq!(client.response().status, 200);
    client.expect_alive();
}

/// A GET of `/` with a target of this length.
fn with_target(length: usize) -> String {
    get(&format!("/?{}", "q".repeat(length - 2)))
}

/// A GET with a head of this length, by one field.
fn with_head(length: usize) -> String {
    let without = "GET / HTTP/1.1\r\nHost: localhost\r\nX: \r\n\r\n".len();
    format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n",
        "x".repeat(length - without)
    )
}

/// A GET with this many fields.
fn with_fields(count: usize) -> String {
    let more: String = (1..count).map(|i| format!("X-{i}: {i}\r\n")).collect();
    format!("GET / HTTP/1.1\r\nHost: localhost\r\n{more}\r\n")
}

fn target(transport: Transport) {
    let server = transport.start();
    expect_served(&server, with_target(8 << 10));
    expect_refusal(&server, with_target((8 << 10) + 1), 414);
    let server = transport.start_with(Settings::limits(|limits| limits.target = 32));
    expect_served(&server, with_target(32));
    expect_refusal(&server, with_target(33), 414);
}

fn head(transport: Transport) {
    let server = transport.start();
    expect_served(&server, with_head(16 << 10));
    expect_refusal(&server, with_head((16 << 10) + 1), 431);
    let server = transport.start_with(Settings::limits(|limits| limits.head = 64 << 10));
    expect_served(&server, with_head(64 << 10));
    expect_refusal(&server, with_head((64 << 10) + 1), 431);
}

/// A head is refused by what has come of it, not when its end comes.
fn endless_head(transport: Transport) {
    let server = transport.start();
    let endless_target = format!("GET /{}", "a".repeat(9 << 10));
    let endless_field = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {}", "x".repeat(20 << 10));
    let endless_name = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}", "x".repeat(20 << 10));
    expect_refusal(&server, endless_target, 414);
    expect_refusal(&server, endless_field, 431);
    expect_refusal(&server, endless_name, 431);
}

fn fields(transport: Transport) {
    let server = transport.start();
    expect_served(&server, with_fields(100));
    expect_refusal(&server, with_fields(101), 431);
}

fn declared_body(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, post("/echo", &vec![b'b'; 1 << 20]));
    assert_eq!(client.response().body.len(), 1 << 20);
    client.expect_alive();
    // Refused by the head alone, and not asked for.
    expect_refusal(&server, declaring("/echo", (1 << 20) + 1), 413);
    let mut client = Client::sending(
        &server,
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\nExpect: 100-continue\r\n\r\n",
    );
    assert_eq!(client.any_response("POST").status, 413, "no 100 before it");
    client.expect_close();
}

fn body_of_a_route(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.body = 100));
    expect_served(&server, post("/small", &[b'b'; SMALL]));
    expect_served(&server, post("/echo", &[b'b'; 100]));
    for (path, length) in [("/small", SMALL + 1), ("/echo", 101)] {
        let mut client = Client::sending(&server, declaring(path, length));
        assert_eq!(client.response().status, 413);
        // So little is dropped, and the connection goes on.
        client.send(vec![b'b'; length]);
        client.expect_alive();
    }
}

fn chunked_body(transport: Transport) {
    let server = transport.start();
    let within = [chunking("/small"), chunk(&[b'b'; SMALL]), b"0\r\n\r\n".to_vec()].concat();
    expect_served(&server, within);
    // By the data, before the end is known.
    let pieces = [chunk(&[b'b'; SMALL]), chunk(b"b")].concat();
    expect_refusal(&server, [chunking("/small"), pieces.clone()].concat(), 413);
    // The client is told the same whether the bytes come with the head or once the limit of the route is known.
    let mut early = Client::sending(&server, [chunking("/small"), pieces.clone()].concat());
    let expecting =
        "POST /small HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
    let mut late = Client::sending(&server, expecting);
    assert!(late.any_response("POST").is_interim());
    late.send_late(&pieces);
    assert_eq!(late.response().body, early.response().body);
}

/// A body nobody reads is dropped up to a limit to keep the connection; beyond, the connection closes behind the answer.
fn unread_body(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, post("/ignore", &vec![b'b'; 256 << 10]));
    assert_eq!(client.response().body, b"ignored");
    client.expect_alive();

    let mut client = Client::sending(&server, declaring("/ignore", (256 << 10) + 1));
    let response = client.response();
    assert_eq!(response.body, b"ignored");
    assert_eq!(response.field("connection").as_deref(), Some("close"));
    client.expect_close();

    // HTTP/1.0 can't go on behind one, and is not told that it can.
    for sent in [0, 2] {
        let head = "POST /ignore HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n";
        let mut client = Client::sending(&server, [head.as_bytes(), &b"xy"[..sent]].concat());
        let response = client.response();
        assert_eq!(response.body, b"ignored");
        assert_ne!(response.field("connection").as_deref(), Some("keep-alive"), "{sent}");
        client.expect_close();
    }

    let mut client = Client::sending(&server, chunking("/ignore"));
    assert_eq!(client.response().body, b"ignored");
    client.send_meanwhile(chunk(&vec![b'b'; 300 << 10]));
    client.expect_close();
}

fn chunk_overhead(transport: Transport) {
    let server = transport.start();
    let extended = |length: usize| {
        let extension = format!("1;{}\r\nb\r\n0\r\n\r\n", "e".repeat(length));
        [chunking("/small"), extension.into_bytes()].concat()
    };
    expect_served(&server, extended(15 << 10));
    expect_refusal(&server, extended(17 << 10), 400);
    // Chunks of one byte each, with no end to them.
    let tiny = b"1\r\nb\r\n".repeat(8 << 10);
    expect_refusal(&server, [chunking("/echo"), tiny].concat(), 400);
}

fn trailers(transport: Transport) {
    let server = transport.start();
    let ending = |trailers: String| [chunking("/echo"), format!("0\r\n{trailers}\r\n").into_bytes()].concat();
    let many = |count: usize| ending("t: 1\r\n".repeat(count));
    let long = |length: usize| ending(format!("t: {}\r\n", "t".repeat(length)));
    expect_served(&server, many(50));
    expect_refusal(&server, many(51), 431);
    expect_served(&server, long(8000));
    expect_refusal(&server, long(8193), 431);
}

/// Answers that nobody reads hold up the requests behind them; none is lost.
fn pipelined_output(transport: Transport) {
    const REQUESTS: usize = 1000;
    let timeouts = Settings::timeouts(|timeouts| timeouts.write = Duration::from_millis(500));
    let server = transport.start_with(timeouts);
    let mut client = Client::sending(&server, get("/page").repeat(REQUESTS));
    client.expect_no_more_taken();
    // What the kernel holds of them, on both sides, is some megabytes; all of them are 64.
    let handled = server.application().handled();
    assert!(
        handled * PAGE < 24 << 20,
        "{handled} answers were made for a client that reads none"
    );

    let server = transport.start();
    let mut client = Client::to(&server);
    client.send_meanwhile(get("/page").repeat(REQUESTS).into_bytes());
    for _ in 0..REQUESTS {
        assert_eq!(client.response().body.len(), PAGE);
    }
}

fn connections(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.connections = Some(2)));
    let mut first = Client::to(&server);
    first.expect_alive();
    let mut second = Client::to(&server);
    second.expect_alive();
    let mut waiting = Client::sending(&server, get("/ping"));
    assert!(
        !waiting.hears_within(Duration::from_millis(200)),
        "a third connection is served"
    );
    first.expect_alive();
    drop(second);
    assert_eq!(waiting.response().status, 200);
    first.expect_alive();
}

/// The limit of a chain or route on the handler's time.
fn handler(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, get("/late"));
    let response = client.response();
    assert_eq!(response.status, 503);
    let text = String::from_utf8(response.body).expect("a problem is JSON");
    assert!(!text.contains("detail"), "{text}");
    client.expect_alive();
}

/// Every refusal above leaves the server as it was.
fn refusals_leave_nothing(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.connections = Some(1)));
    for _ in 0..20 {
        expect_refusal(&server, with_fields(101), 431);
        expect_refusal(&server, declaring("/echo", 2 << 20), 413);
        let mut gone = Client::sending(&server, declaring("/echo", 10));
        gone.half_close();
        assert_ne!(gone.end(), End::Reset);
    }
    assert!(server.down_within(Duration::ZERO).is_none());
    let mut client = Client::to(&server);
    client.expect_alive();
    server.stop();
    drop(client);
    assert!(server.down_within(PATIENCE).is_some());
}

on_every_transport! {
    target, head, endless_head, fields, declared_body, body_of_a_route, chunked_body, unread_body, chunk_overhead, trailers,
    pipelined_output, connections, handler, refusals_leave_nothing,
}
