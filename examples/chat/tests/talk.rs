//! What clients that are no browsers hear of a process, over real sockets: the clock, and that the server goes down.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use support::Chat;
use tungstenite::protocol::{Role, WebSocket};
use tungstenite::{Error, Message};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Sends a request, reads the head of the answer, and leaves what follows.
fn ask(chat: &Chat, path: &str, fields: &str) -> (String, BufReader<TcpStream>) {
    let mut socket = TcpStream::connect(&chat.address).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.set_write_timeout(Some(PATIENCE)).unwrap();
    let host = &chat.address;
    write!(socket, "GET {path} HTTP/1.1\r\nhost: {host}\r\n{fields}\r\n").unwrap();
    let mut socket = BufReader::new(socket);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(socket.read_line(&mut head).unwrap(), 0, "{head}");
    }
    (head, socket)
}

/// A client in the room.
fn enter(chat: &Chat) -> WebSocket<TcpStream> {
    let fields = format!(
        "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\norigin: http://{}\r\n\
         sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
        chat.address
    );
    let (head, socket) = ask(chat, "/talk", &fields);
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    // Nobody has said anything yet.
    assert_eq!(socket.buffer(), b"");
    WebSocket::from_raw_socket(socket.into_inner(), Role::Client, None)
}

#[test]
fn the_clock_ticks_and_all_ends_with_the_server() {
    let chat = Chat::start();
    let mut ann = enter(&chat);
    let (head, mut clock) = ask(&chat, "/clock", "accept: text/event-stream\r\n");
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
    assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
    let mut ticks = Vec::new();
    while ticks.len() < 2 {
        let mut line = String::new();
        assert_ne!(clock.read_line(&mut line).unwrap(), 0, "the clock has stopped");
        if let Some(time) = line.strip_prefix("data: ") {
            ticks.push(Duration::from_millis(time.trim().parse().unwrap()));
        }
    }
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap();
    assert!(ticks[0] < ticks[1] && now.abs_diff(ticks[1]) < PATIENCE, "{ticks:?}");

    chat.stop();
    match ann.read().unwrap() {
        Message::Close(Some(close)) => assert_eq!(u16::from(close.code), 1001),
        other => panic!("{other:?} is no close frame"),
    }
    assert!(matches!(ann.read(), Err(Error::ConnectionClosed)));
    let mut rest = String::new();
    while clock.read_line(&mut rest).unwrap() > 0 {}
    // The last chunk of an answer that is whole.
    assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
    assert!(!chat.ended().contains("ERROR"));
}
