//! Going down: what has been asked is answered, what is idle is closed, and nothing keeps the process for longer than it may.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::application::Event;
use crate::client::{Client, chunk, chunking, declaring, get};
use crate::transport::{Down, PATIENCE, Server, Settings, Transport};

/// Waits until nobody can connect any more.
fn expect_port_closed(server: &Server) {
    let begun = Instant::now();
    while TcpStream::connect_timeout(&server.address(), PATIENCE).is_ok() {
        assert!(begun.elapsed() < PATIENCE, "the port is still open");
    }
}

fn idle(transport: Transport) {
    let server = transport.start();
    let mut silent = Client::to(&server);
    let mut idle = Client::to(&server);
    idle.expect_alive();
    server.stop();
    idle.expect_close();
    silent.expect_close();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
    expect_port_closed(&server);
}

/// A client that is busy on a kept connection can't know of the signal: its next request is answered, and told to be the last.
fn on_its_way(transport: Transport) {
    for _ in 0..200 {
        let server = transport.start();
        let mut busy = Client::to(&server);
        let begun = Instant::now();
        busy.expect_alive();
        server.stop();
        expect_port_closed(&server);
        busy.send_late(get("/users/1").as_bytes());
        // A round in which this test was kept from running says nothing.
        if begun.elapsed() < Duration::from_millis(50) {
            let response = busy.response();
            assert_eq!(response.field("connection").as_deref(), Some("close"));
            busy.expect_close();
            assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
            return;
        }
    }
    panic!("this machine is too busy to tell");
}

fn in_flight(transport: Transport) {
    let server = transport.start();
    let mut busy = Client::sending(&server, get("/pause"));
    server.expect_event(Event::Paused);
    server.stop();
    expect_port_closed(&server);
    assert_eq!(
        server.down_within(Duration::ZERO),
        None,
        "it does not wait for what is in flight"
    );
    server.application().resume(1);
    let response = busy.response();
    assert_eq!(response.body, b"resumed");
    assert_eq!(response.field("connection").as_deref(), Some("close"));
    busy.expect_close();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

/// A body on its way is in flight.
fn in_flight_body(transport: Transport) {
    let server = transport.start();
    let mut busy = Client::sending(&server, [chunking("/echo"), chunk(b"one")].concat());
    let mut expecting = Client::sending(
        &server,
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n",
    );
    // That it is asked for the body shows that its exchange has begun; that of the other began before.
    assert_eq!(expecting.any_response("POST").status, 100);
    while server.application().handled() < 2 {
        std::thread::yield_now();
    }
    server.stop();
    expect_port_closed(&server);
    busy.send([chunk(b"two"), b"0\r\n\r\n".to_vec()].concat());
    assert_eq!(busy.response().body, b"onetwo");
    busy.expect_close();
    expecting.send("yes");
    assert_eq!(expecting.response().body, b"yes");
    expecting.expect_close();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

/// Connections the kernel has accepted for us, with their requests, are served although nobody had taken them over.
fn accept_queue(transport: Transport) {
    let server = transport.start();
    for _ in 0..20 {
        let server = transport.start();
        let mut clients: Vec<Client> = (0..20).map(|_| Client::sending(&server, get("/users/1"))).collect();
        server.stop();
        for client in &mut clients {
            let response = client.response();
            assert_eq!(response.status, 200);
            client.expect_close();
        }
        drop(clients);
        assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
    }
    Client::to(&server).expect_alive();
}

/// The deadline cuts what does not end.
fn deadline(transport: Transport) {
    const SHORT: Duration = Duration::from_millis(300);
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.shutdown = SHORT));
    let mut busy = Client::sending(&server, get("/pause"));
    server.expect_event(Event::Paused);
    let begun = Instant::now();
    server.stop();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Cut(1)));
    assert!(begun.elapsed() >= SHORT);
    server.expect_event(Event::Cancelled);
    busy.end();
}

/// A second signal ends the drain.
fn second_signal(transport: Transport) {
    let server = transport.start();
    let mut busy = Client::sending(&server, get("/pause"));
    server.expect_event(Event::Paused);
    let mut other = Client::sending(&server, get("/pause"));
    server.expect_event(Event::Paused);
    server.stop();
    expect_port_closed(&server);
    server.stop();
    // The connections that tried the port may still be there.
    assert!(matches!(server.down_within(PATIENCE), Some(Down::Cut(2..))));
    busy.end();
    other.end();
}

/// A client that goes on sending or does not read can't hold the process.
fn stubborn_clients(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| {
        timeouts.shutdown = Duration::from_millis(500);
        timeouts.linger = Duration::from_millis(100);
    }));
    let _endless_body = Client::sending(&server, declaring("/echo", 100));
    let _unread = Client::sending(&server, get("/large"));
    let _half_a_head = Client::sending(&server, "GET / HT");
    let _lingering = Client::sending(&server, declaring("/echo", 3 << 20));
    while server.application().handled() < 3 {
        std::thread::yield_now();
    }
    server.stop();
    assert!(matches!(server.down_within(PATIENCE), Some(Down::Cut(1..=3))));
}

/// Pipelined requests that are there already are not answered half: the one at hand is, with the close said.
fn pipelined(transport: Transport) {
    let server = transport.start();
    let mut busy = Client::sending(&server, [get("/pause"), get("/users/1"), get("/users/2")].concat());
    server.expect_event(Event::Paused);
    server.stop();
    expect_port_closed(&server);
    server.application().resume(1);
    loop {
        let response = busy.response();
        assert_eq!(response.status, 200);
        if response.field("connection").as_deref() == Some("close") {
            break;
        }
    }
    busy.expect_close();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

on_every_transport! {
    idle, on_its_way, in_flight, in_flight_body, accept_queue, deadline, second_signal, stubborn_clients, pipelined,
}
