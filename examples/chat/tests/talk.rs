//! What clients that are no browsers hear, over real sockets: each other, the clock, and that the server goes down.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use support::Chat;
use tungstenite::protocol::{CloseFrame, Role, WebSocket};
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

struct Client(WebSocket<TcpStream>);

impl Client {
    fn enter(chat: &Chat) -> Self {
        let fields = format!(
            "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\norigin: http://{}\r\n\
             sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n",
            chat.address
        );
        let (head, socket) = ask(chat, "/talk", &fields);
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        // Nobody has said anything yet.
        assert_eq!(socket.buffer(), b"");
        Self(WebSocket::from_raw_socket(socket.into_inner(), Role::Client, None))
    }

    fn say(&mut self, name: &str, text: &str) {
        let said = json!({"name": name, "text": text}).to_string();
        self.0.send(Message::text(said)).unwrap();
    }

    fn hear(&mut self) -> Value {
        match self.0.read().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("{other:?} is no text"),
        }
    }

    /// How the server closes, once it does.
    fn goodbye(&mut self) -> CloseFrame {
        loop {
            match self.0.read() {
                Ok(Message::Close(close)) => return close.unwrap(),
                Ok(_) => {}
                Err(error) => panic!("no close frame: {error}"),
            }
        }
    }
}

#[test]
fn what_one_says_both_hear() {
    let chat = Chat::start();
    let (mut ann, mut bob) = (Client::enter(&chat), Client::enter(&chat));
    ann.say(" ann ", "hello <b>bob</b>\n");
    // Nothing is said without a word.
    ann.say("ann", " ");
    bob.say("", "hello");
    let words = |name, text| json!({"kind": "words", "name": name, "text": text});
    for client in [&mut ann, &mut bob] {
        let mut heard = [client.hear(), client.hear()];
        heard.sort_by_key(|heard| heard["name"].to_string());
        let expected = [words("ann", "hello <b>bob</b>"), words("somebody", "hello")];
        assert_eq!(heard, expected);
    }
}

#[test]
fn who_does_not_listen_is_told_what_was_missed() {
    const SAID: u64 = 10_000;
    let chat = Chat::start();
    let (mut lazy, mut ann) = (Client::enter(&chat), Client::enter(&chat));
    // More than sockets hold.
    let text = "a".repeat(3_900);
    for _ in 0..SAID {
        ann.say("ann", &text);
        assert_eq!(ann.hear()["kind"], "words");
    }
    let (mut words, mut missed) = (0, 0);
    while words + missed < SAID {
        let heard = lazy.hear();
        match heard["messages"].as_u64() {
            Some(messages) => missed += messages,
            None => words += 1,
        }
    }
    assert_eq!(words + missed, SAID);
    assert!(missed > 0, "the room kept all of them");
}

#[test]
fn who_says_what_can_t_be_understood_is_closed() {
    for (message, code) in [
        (Message::text("hello"), 1007),
        (Message::text(r#"{"name": "ann"}"#), 1007),
        (Message::binary("{}"), 1003),
        (Message::text(" ".repeat(5_000)), 1009),
    ] {
        let chat = Chat::start();
        let mut ann = Client::enter(&chat);
        ann.0.send(message.clone()).unwrap();
        assert_eq!(u16::from(ann.goodbye().code), code, "{message:?}");
    }
}

#[test]
fn the_clock_ticks_and_all_ends_with_the_server() {
    let chat = Chat::start();
    let mut ann = Client::enter(&chat);
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
    assert_eq!(u16::from(ann.goodbye().code), 1001);
    assert!(matches!(ann.0.read(), Err(Error::ConnectionClosed)));
    let mut rest = String::new();
    while clock.read_line(&mut rest).unwrap() > 0 {}
    // The last chunk of an answer that is whole.
    assert!(rest.ends_with("0\r\n\r\n"), "{rest:?}");
    assert!(!chat.ended().contains("ERROR"));
}
