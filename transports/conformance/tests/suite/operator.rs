//! What an operator may set: the largest of every limit, no timeouts, no room.

use std::time::Duration;

use pw_core::{Limits, Timeouts};

use crate::application::LARGE;
use crate::client::{Client, chunk, chunking, declaring, get, post};
use crate::transport::{Down, PATIENCE, Server, Settings, Transport};

/// Requests of every kind, whole and in pieces, and the end of the server.
fn expect_served(server: &Server) {
    let mut client = Client::sending(server, [get("/ping"), get("/users/1"), get("/nowhere")].concat());
    assert_eq!(client.statuses(3), [200, 200, 404]);
    let trailers = b"0\r\na: b\r\n\r\n".to_vec();
    client.send([post("/echo", b"body"), chunking("/echo"), chunk(b"body"), trailers].concat());
    for _ in 0..2 {
        assert_eq!(client.response().body, b"body");
    }
    client.send(declaring("/echo", 10));
    client.send_in_pieces(&[b"begun", b"ended"]);
    assert_eq!(client.response().body, b"begunended");
    client.send_in_pieces(&[&get("/users/1").as_bytes()[..20], &get("/users/1").as_bytes()[20..]]);
    assert_eq!(client.response().status, 200);
    client.send(get("/large"));
    assert_eq!(client.response().body.len(), LARGE);
    client.expect_alive();
    let mut refused = Client::sending(server, "GET / HTTP/1.1\r\n\r\n");
    assert_eq!(refused.response().status, 400);
    refused.half_close();
    refused.expect_close();
}

fn expect_down(server: &Server) {
    server.stop();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

fn no_limits(transport: Transport) {
    let most = usize::MAX;
    let server = transport.start_with(Settings::limits(|limits| {
        *limits = Limits {
            target: most,
            head: most,
            fields: most,
            body: most,
            chunk_overhead: most,
            trailers: most,
            trailer_fields: most,
            drain: most,
            output: most,
            connections: Some(most),
            http2_streams: limits.http2_streams,
        };
    }));
    expect_served(&server);
    let mut client = Client::sending(&server, get(&format!("/?{}", "q".repeat(100_000))));
    assert_eq!(client.response().status, 200);
    client.send([post("/ignore", &[b'b'; 1 << 20]), post("/echo", &[b'b'; 3 << 20])].concat());
    assert_eq!(client.response().body, b"ignored");
    assert_eq!(client.response().body.len(), 3 << 20);
    expect_down(&server);
}

fn no_timeouts(transport: Transport) {
    let never = Duration::MAX;
    let server = transport.start_with(Settings::timeouts(|timeouts| {
        *timeouts = Timeouts {
            first_byte: never,
            head: never,
            keep_alive: never,
            body: never,
            body_rate: u64::MAX,
            write: never,
            linger: never,
            shutdown: never,
        };
    }));
    expect_served(&server);
    expect_down(&server);
}

/// Nothing may wait: each answer is taken before the next request is looked at.
fn no_room(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| {
        (limits.output, limits.drain) = (0, 0);
    }));
    expect_served(&server);
    expect_down(&server);
}

on_every_transport! { no_limits, no_timeouts, no_room, }
