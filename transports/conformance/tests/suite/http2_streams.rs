//! What lasts longer than a buffer, on streams of HTTP/2: windows hold a producer back, a reset takes its stream away, what breaks does not
//! look whole, and a WebSocket is one stream beside others (RFC 8441).

use pw_conformance::websocket::{client_frame, messages};

use crate::application::Event;
use crate::flow::{FILE, content};
use crate::frames::{
    Answer, DATA, END_STREAM, Frames, HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE, RST_STREAM, WINDOW_UPDATE, frame, pseudo,
    request,
};
use crate::lasting::FOLDER;
use crate::streams::settled;
use crate::transport::{Down, PATIENCE, Server, Transport};

/// That extended CONNECT is spoken (RFC 8441 3).
const ENABLE_CONNECT_PROTOCOL: u16 = 8;
const CANCEL: u32 = 8;
/// A window of a client that wants little at once.
const SMALL: u32 = 10_000;
/// More than a stream may have waiting behind a window of [`SMALL`]: the transport's buffer, and the pieces at hand.
const HELD: u64 = 1 << 20;

/// A client whose streams have small windows.
fn wanting_little(server: &Server) -> Frames {
    Frames::with_settings(server, &[(HEADER_TABLE_SIZE, 0), (INITIAL_WINDOW_SIZE, SMALL)])
}

fn more(stream: u32, bytes: u32) -> Vec<u8> {
    frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes())
}

fn reset(stream: u32) -> Vec<u8> {
    frame(RST_STREAM, 0, stream, &CANCEL.to_be_bytes())
}

/// A stream is asked for no more than its client has a window for, and goes on when it has more.
fn back_pressure(transport: Transport) {
    let server = transport.start();
    let flow = &server.application().flow;
    let mut client = wanting_little(&server);
    client.get(1, "/flow/endless");
    let held = settled(|| flow.given());
    assert!(held < HELD, "{held}");
    // The others are served meanwhile.
    client.expect_alive(3);
    client.send(more(1, 8 << 20));
    let mut come = 0;
    while come < 8 << 20 {
        come += client.data(1).len();
    }
    let then = settled(|| flow.given());
    assert!((8 << 20..(8 << 20) + HELD).contains(&then), "{then}");
    client.send(reset(1));
    server.expect_event(Event::Cancelled);
    client.expect_alive(5);
}

/// What has a length and is held back comes whole.
fn held_back(transport: Transport) {
    let server = transport.start();
    let mut client = wanting_little(&server);
    let long = std::fs::read(format!("{FOLDER}/long.txt")).expect("the folder comes with this crate");
    for (stream, path, whole) in [
        (1, "/static/long.txt", long),
        (3, "/flow/file", content(FILE)),
        (5, "/download/60000", content(60_000)),
    ] {
        client.get(stream, path);
        let first = client.data(stream);
        assert!(first.len() <= SMALL as usize, "{path} {}", first.len());
        client.send(more(stream, 1 << 30));
        let Answer::Whole(200, rest) = client.rest(stream) else {
            panic!("{path} does not come whole")
        };
        assert!([first, rest].concat() == whole, "{path} comes otherwise");
    }
    client.expect_alive(7);
}

/// A client that resets a stream takes away what makes it, at once, and nothing else.
fn taken_away(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    for stream in [1, 5] {
        client.get(stream, "/flow/ticks");
        server.expect_event(Event::Paused);
        assert_eq!(client.data(stream), b"one");
        client.send(reset(stream));
        server.expect_event(Event::Cancelled);
        client.expect_alive(stream + 2);
    }
    client.get(9, "/flow/ticks");
    server.expect_event(Event::Paused);
    drop(client);
    server.expect_event(Event::Cancelled);
}

/// A stream that fails ends in a reset behind what it gave, never in an end that a whole one has; its neighbours go on.
fn broken(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    let mut stream = 1;
    for path in ["/flow/fail", "/flow/panic", "/flow/short", "/flow/long"] {
        client.get(stream, path);
        assert!(client.data(stream).starts_with(b"some"), "{path}");
        let answer = client.rest(stream);
        assert!(matches!(answer, Answer::Reset(1..)), "{path}: {answer:?}");
        client.expect_alive(stream + 2);
        stream += 4;
    }
    client.get(stream, "/flow/trailers");
    assert_eq!(client.answer(stream), Answer::Whole(200, b"some".to_vec()));
    client.get(stream + 2, "/flow/words");
    assert_eq!(client.answer(stream + 2), Answer::Whole(200, b"somewords".to_vec()));
}

/// A file that is cut while it is sent ends its stream alone.
fn shrunk_file(transport: Transport) {
    let server = transport.start();
    let mut client = wanting_little(&server);
    client.get(1, "/flow/file");
    client.data(1);
    server.application().flow.shrink_file();
    client.send(more(1, 1 << 30));
    let answer = client.rest(1);
    assert!(matches!(answer, Answer::Reset(1..)), "{:?}", answer.status());
    client.expect_alive(3);
}

fn files(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    let hello =
        |more: &[(&'static str, &'static str)]| [&pseudo("GET", "/static/hello.txt", "localhost")[..], more].concat();
    for (stream, fields, status, body) in [
        (1, hello(&[]), 200, "hello world"),
        (3, hello(&[("range", "bytes=6-")]), 206, "world"),
        (5, hello(&[("if-none-match", "*")]), 304, ""),
        (7, hello(&[("if-none-match", "*"), ("range", "bytes=99-")]), 304, ""),
        (9, pseudo("HEAD", "/static/long.txt", "localhost").to_vec(), 200, ""),
        (11, pseudo("GET", "/static/empty.txt", "localhost").to_vec(), 200, ""),
    ] {
        assert_eq!(
            client.ask(stream, &fields),
            Answer::Whole(status, body.into()),
            "{fields:?}"
        );
    }
    for (stream, fields, status) in [
        (13, hello(&[("if-match", "\"other\"")]), 412),
        (15, hello(&[("range", "bytes=99-")]), 416),
        (17, pseudo("GET", "/static/link-out", "localhost").to_vec(), 404),
        (19, pseudo("GET", "/static/..%2fsecret.txt", "localhost").to_vec(), 404),
    ] {
        assert_eq!(client.ask(stream, &fields).status(), Some(status), "{fields:?}");
    }
    client.expect_alive(21);
}

fn uploads(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    for (stream, pieces) in [(1, 0), (3, 1), (5, 4)] {
        let mut bytes = request(stream, 0, &pseudo("POST", "/upload", "localhost"));
        for _ in 0..pieces {
            bytes.extend(frame(DATA, 0, stream, &[b'u'; 10_000]));
        }
        bytes.extend(frame(DATA, END_STREAM, stream, &[]));
        client.send(bytes);
        let taken = format!("{{\"bytes\":{}}}", pieces * 10_000);
        assert_eq!(client.answer(stream), Answer::Whole(200, taken.into_bytes()));
    }
    // One that is given up takes nothing with it.
    client.send(request(7, 0, &pseudo("POST", "/upload", "localhost")));
    client.send([frame(DATA, 0, 7, b"some"), reset(7)].concat());
    client.expect_alive(9);
}

fn events_until_shutdown(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    client.get(1, "/events");
    let mut come = Vec::new();
    while !come.ends_with(b"id: 2\nevent: tick\ndata: 2\n\n") {
        come.extend(client.data(1));
    }
    server.stop();
    let Answer::Whole(200, rest) = client.rest(1) else {
        panic!("events do not end cleanly")
    };
    assert!(rest.is_empty() || rest.ends_with(b"\n\n"), "{}", rest.escape_ascii());
    client.expect_end();
    drop(client);
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

fn opening<'a>(path: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let mut fields = pseudo("CONNECT", path, "localhost").to_vec();
    fields.extend([(":protocol", "websocket"), ("sec-websocket-version", "13")]);
    fields.extend(more);
    fields
}

/// What came over a WebSocket that has been closed.
fn closed(client: &mut Frames, stream: u32, before: Vec<u8>) -> (Vec<(u8, Vec<u8>)>, Option<u16>) {
    let Answer::Whole(200, rest) = client.rest(stream) else {
        panic!("the tunnel does not end cleanly")
    };
    let seen = messages(&[before, rest].concat());
    assert_eq!(seen.faults, [""; 0]);
    (seen.whole, seen.close)
}

fn websocket(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    let settings = client.settings();
    assert!(settings.contains(&(ENABLE_CONNECT_PROTOCOL, 1)), "{settings:?}");
    client.send(request(1, 0, &opening("/ws", &[])));
    client.send(frame(DATA, 0, 1, &client_frame(1, b"hello")));
    let mut come = client.data(1);
    while come.len() < 7 {
        come.extend(client.data(1));
    }
    assert_eq!(come, b"\x81\x05hello");
    // It is one stream of many; and frames have nothing to do with frames.
    client.expect_alive(3);
    let ping = client_frame(9, b"there?");
    client.send(frame(DATA, 0, 1, &ping[..3]));
    client.expect_alive(5);
    client.send(frame(DATA, 0, 1, &ping[3..]));
    client.send(frame(DATA, 0, 1, &client_frame(8, &1000_u16.to_be_bytes())));
    let (whole, close) = closed(&mut client, 1, come);
    assert_eq!(whole, [(1, b"hello".to_vec()), (10, b"there?".to_vec())]);
    assert_eq!(close, Some(1000));
    client.expect_alive(7);
}

fn websocket_refused(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    for (stream, fields, status) in [
        (1, opening("/ws", &[("origin", "http://elsewhere")]), 403),
        (3, opening("/nowhere", &[]), 404),
        (5, opening("/ping", &[]), 501),
        // HTTP/2 has no upgrade that 426 could ask for.
        (7, pseudo("GET", "/ws", "localhost").to_vec(), 400),
    ] {
        client.send(request(stream, 0, &fields));
        assert_eq!(client.answer(stream).status(), Some(status), "{fields:?}");
    }
    client.send(request(9, 0, &opening("/ws", &[("origin", "http://localhost")])));
    client.send(frame(DATA, 0, 9, &client_frame(3, b"what no client sends")));
    let (whole, close) = closed(&mut client, 9, Vec::new());
    assert_eq!((whole, close), (Vec::new(), Some(1002)));
    client.expect_alive(11);
}

/// A client that resets its WebSocket loses nothing else; one that is open is told of a shutdown.
fn websocket_ends(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    for stream in [1, 3] {
        client.send(request(stream, 0, &opening("/ws", &[])));
        client.send(frame(DATA, 0, stream, &client_frame(1, b"x")));
        assert_eq!(client.data(stream), b"\x81\x01x");
    }
    client.send(reset(1));
    client.expect_alive(5);
    server.stop();
    let mut come = client.data(3);
    while messages(&come).close.is_none() {
        come.extend(client.data(3));
    }
    client.send(frame(DATA, END_STREAM, 3, &client_frame(8, &1001_u16.to_be_bytes())));
    assert_eq!(closed(&mut client, 3, come), (Vec::new(), Some(1001)));
    client.expect_end();
    drop(client);
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

on_http2_transports! {
    back_pressure, held_back, taken_away, broken, shrunk_file, files, uploads, events_until_shutdown, websocket, websocket_refused,
    websocket_ends,
}
