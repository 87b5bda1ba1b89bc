//! What goes wrong in one exchange costs that exchange, and nothing else.

use crate::application::Event;
use crate::client::{Client, End, chunk, chunking, declaring, get, post};
use crate::transport::{Settings, Transport};

fn panic(transport: Transport) {
    let server = transport.start();
    let mut other = Client::sending(&server, get("/pause"));
    server.expect_event(Event::Paused);
    let mut client = Client::to(&server);
    for request in [get("/panic").into_bytes(), post("/panic", b"body")] {
        client.send(request);
        let response = client.response();
        assert_eq!(response.status, 500);
        assert_eq!(
            response.field("content-type").as_deref(),
            Some("application/problem+json")
        );
        let id = response.field("x-request-id").expect("errors carry the request id");
        assert_eq!(id.len(), 32);
        let text = String::from_utf8(response.body).expect("a problem is JSON");
        assert!(text.contains("\"status\":500") && !text.contains("handler"), "{text}");
        client.expect_alive();
    }
    // In the middle of a pipeline, too.
    client.send([get("/users/1"), get("/panic"), get("/users/2")].concat());
    assert_eq!(client.statuses(3), [200, 500, 200]);
    server.application().resume(1);
    assert_eq!(other.response().body, b"resumed");
}

/// A body the panicking handler had not read is no request.
fn panic_with_a_body(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    let request = "GET /panic HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody";
    client.send([request, &get("/users/1")].concat());
    assert_eq!(client.statuses(2), [500, 200]);
    client.expect_alive();
}

/// A client that goes takes its handler's future away; others on the same server notice nothing.
fn gone_before_the_answer(transport: Transport) {
    let server = transport.start();
    let mut other = Client::to(&server);
    for _ in 0..10 {
        let client = Client::sending(&server, get("/pause"));
        server.expect_event(Event::Paused);
        client.reset();
        server.expect_event(Event::Cancelled);
        other.expect_alive();
    }
}

fn gone_within_the_body(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.connections = Some(2)));
    let mut other = Client::to(&server);
    for body in [declaring("/echo", 10), [chunking("/echo"), chunk(b"some")].concat()] {
        for _ in 0..10 {
            // Each has the one connection that is left: that the next is served shows that this one is over.
            let mut client = Client::sending(&server, &body);
            client.half_close();
            assert!(matches!(client.end(), End::Closed(answer) if answer.starts_with(b"HTTP/1.1 400 ")));
            let client = Client::sending(&server, &body);
            client.reset();
            other.expect_alive();
        }
    }
    Client::to(&server).expect_alive();
}

fn gone_within_the_answer(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.connections = Some(2)));
    let mut other = Client::to(&server);
    for _ in 0..5 {
        let mut client = Client::sending(&server, get("/large"));
        assert!(client.discard(1000) > 0);
        client.reset();
        other.expect_alive();
    }
    Client::to(&server).expect_alive();
}

/// Connections that are opened and dropped, with and without a byte.
fn gone_at_once(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.connections = Some(4)));
    for at in 0..200 {
        let mut client = Client::to(&server);
        if at % 2 == 0 {
            client.send("GET / HT");
        }
        if at % 3 == 0 {
            client.reset();
        }
    }
    Client::to(&server).expect_alive();
}

/// What a client leaves behind within a head, an empty line for one, is in nobody else's way.
fn gone_within_the_head(transport: Transport) {
    let server = transport.start();
    for bytes in [
        "\r\n",
        "\r",
        "\r\n\r\n\r",
        "G",
        "GET / HTTP/1.1\r\nHost: a\r\nX",
        "\r\nGET /\x01",
    ] {
        for reset in [false, true] {
            let mut client = Client::sending(&server, bytes);
            if reset {
                client.reset();
            } else {
                client.half_close();
                client.end();
            }
            Client::to(&server).expect_alive();
            Client::to(&server).expect_alive();
        }
    }
}

on_every_transport! {
    gone_within_the_head, panic, panic_with_a_body, gone_before_the_answer, gone_within_the_body, gone_within_the_answer, gone_at_once,
}
