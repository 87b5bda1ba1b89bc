//! Bodies and answers that are not buffers: they come and leave piece by piece, with bounded memory, and end as they should.

use std::time::{Duration, Instant};

use crate::application::{Event, SMALL};
use crate::client::{Client, End, chunk, chunking, declaring, get, post};
use crate::flow::{FILE, PIECE, content, digest};
use crate::transport::{Down, PATIENCE, Server, Settings, Transport};

/// Enough to tell that somebody waits: more than both sockets and a transport hold between two that don't read.
const HELD: u64 = 24 << 20;

/// What comes of a path, to the end of the connection.
fn told(server: &Server, path: &str, line: &str) -> String {
    let mut client = Client::sending(server, get(path).replace("HTTP/1.1\r\n", line));
    match client.end() {
        End::Closed(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        End::Reset => "reset".to_owned(),
    }
}

/// As it left, but for the date and the id.
fn wire(server: &Server, path: &str, line: &str) -> (Vec<String>, String) {
    let text = told(server, path, line);
    let (head, content) = text.split_once("\r\n\r\n").expect("a head has come");
    let fields = head
        .split("\r\n")
        .filter(|line| !line.starts_with("date: ") && !line.starts_with("x-request-id: "));
    (fields.map(str::to_owned).collect(), content.to_owned())
}

const CLOSE: &str = "HTTP/1.1\r\nConnection: close\r\n";

fn chunked(transport: Transport) {
    let server = transport.start();
    let (head, content) = wire(&server, "/flow/words", CLOSE);
    assert_eq!(
        head,
        ["HTTP/1.1 200 OK", "connection: close", "transfer-encoding: chunked"]
    );
    assert_eq!(content, "4\r\nsome\r\n5\r\nwords\r\n0\r\n\r\n");
    let (_, content) = wire(&server, "/flow/nothing", CLOSE);
    assert_eq!(content, "0\r\n\r\n");
}

fn kept(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    for _ in 0..3 {
        client.send([get("/flow/words"), get("/flow/sized")].concat());
        assert_eq!(client.response().body, b"somewords");
        assert_eq!(client.response().body, b"somewords");
        client.expect_alive();
    }
}

fn until_close(transport: Transport) {
    let server = transport.start();
    let (head, content) = wire(&server, "/flow/words", "HTTP/1.0\r\nConnection: keep-alive\r\n");
    assert_eq!((&*head[0], &*content), ("HTTP/1.0 200 OK", "somewords"));
    assert!(
        head.iter().all(|line| !line.starts_with("transfer-encoding")),
        "{head:?}"
    );
}

fn sized(transport: Transport) {
    let server = transport.start();
    let (head, content) = wire(&server, "/flow/sized", CLOSE);
    assert_eq!(head, ["HTTP/1.1 200 OK", "connection: close", "content-length: 9"]);
    assert_eq!(content, "somewords");
}

fn head_only(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    let file = FILE.to_string();
    for (path, length) in [
        ("/flow/words", None),
        ("/flow/endless", None),
        ("/flow/sized", Some("9")),
        ("/flow/file", Some(&*file)),
    ] {
        client.send(get(path).replace("GET", "HEAD"));
        let response = client.response_to("HEAD");
        assert_eq!(response.field("content-length").as_deref(), length, "{path}");
        assert!(response.status == 200 && response.body.is_empty(), "{path}");
    }
    client.expect_alive();
    assert_eq!(server.application().flow.given(), 0, "nobody asks for what is not sent");
}

/// No client may take a part for the whole, and none is told why.
fn broken(transport: Transport) {
    let server = transport.start();
    for path in [
        "/flow/fail",
        "/flow/panic",
        "/flow/short",
        "/flow/long",
        "/flow/sized-fail",
    ] {
        for line in [CLOSE, "HTTP/1.1\r\n", "HTTP/1.0\r\n"] {
            let mut client = Client::sending(&server, get(path).replace("HTTP/1.1\r\n", line));
            let (bytes, reset) = match client.end() {
                End::Closed(bytes) => (bytes, false),
                End::Reset => (client.taken(), true),
            };
            let text = String::from_utf8_lossy(&bytes);
            assert!(
                text.contains("some"),
                "what came before it broke is sent: {path} {text}"
            );
            assert!(
                !text.ends_with("0\r\n\r\n") && !text.contains("secret"),
                "{path} {text}"
            );
            assert!(
                !text.ends_with("words") || text.contains("content-length: 10\r\n"),
                "{path} {text}"
            );
            let until_close = line.starts_with("HTTP/1.0") && !text.contains("content-length");
            assert_eq!(
                reset, until_close,
                "the end of the connection must not look like that of the content: {path} {text}"
            );
        }
    }
    Client::to(&server).expect_alive();
}

/// What a stream does once it has given all that it said is nobody's business: the connection goes on.
fn whole_before_its_end(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    client.send(get("/flow/sized-late"));
    assert_eq!(client.response().body, b"somewords");
    client.expect_alive();
}

fn as_it_comes(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, get("/flow/ticks"));
    let mut told = String::new();
    for (word, last) in [("one", false), ("two", false), ("three", true)] {
        while !told.contains(word) {
            told += &String::from_utf8(client.some()).expect("it is text");
        }
        assert!(!told.ends_with("0\r\n\r\n") || last, "{told}");
        if !last {
            server.expect_event(Event::Paused);
            server.application().resume(1);
        }
    }
    while !told.ends_with("0\r\n\r\n") {
        told += &String::from_utf8(client.some()).expect("it is text");
    }
    client.expect_alive();
}

fn large_pieces(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, get("/flow/large"));
    let piece = content(PIECE);
    assert_eq!(client.response().body, [&piece[..], b"between", &piece].concat());
    client.expect_alive();
}

fn trailers(transport: Transport) {
    let server = transport.start();
    let (_, content) = wire(
        &server,
        "/flow/trailers",
        "HTTP/1.1\r\nTE: trailers\r\nConnection: close, TE\r\n",
    );
    assert_eq!(content, "4\r\nsome\r\n0\r\nx-digest: 1\r\n\r\n");
    let (_, content) = wire(&server, "/flow/trailers", CLOSE);
    assert_eq!(content, "4\r\nsome\r\n0\r\n\r\n");
}

/// A client that goes away takes its stream with it, at once: also one that still owes the body it has declared.
fn gone(transport: Transport) {
    let server = transport.start();
    let owing = get("/flow/ticks").replace("\r\n\r\n", "\r\nContent-Length: 5\r\n\r\n");
    for (request, shut) in [
        (get("/flow/ticks"), false),
        (get("/flow/ticks"), true),
        (owing.clone(), false),
        (owing, true),
    ] {
        let mut client = Client::sending(&server, request);
        server.expect_event(Event::Paused);
        client.some();
        match shut {
            true => client.half_close(),
            false => client.reset(),
        }
        server.expect_event(Event::Cancelled);
    }
}

/// Data that flows goes to the end, also to a client that has shut its side.
fn half_closed(transport: Transport) {
    let server = transport.start();
    for path in ["/flow/words", "/flow/large", "/flow/file"] {
        let mut client = Client::sending(&server, get(path));
        client.half_close();
        assert!(client.response().body.len() >= 9, "{path}");
    }
}

/// A slow reader slows the producer.
fn slow_reader(transport: Transport) {
    let server = transport.start();
    let client = Client::sending(&server, get("/flow/endless"));
    let flow = &server.application().flow;
    let held = settled(|| flow.given());
    assert!(held < HELD, "{held}");
    drop(client);
    server.expect_event(Event::Cancelled);
}

/// Waits until a number has been the same for a while.
pub fn settled(number: impl Fn() -> u64) -> u64 {
    let begun = Instant::now();
    let mut last = 0;
    while begun.elapsed() < PATIENCE {
        std::thread::park_timeout(Duration::from_millis(300));
        let now = number();
        if now == last && now > 0 {
            return now;
        }
        last = now;
    }
    panic!("it never rests: {last}");
}

fn until_stopping(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, get("/flow/until-stopping"));
    let begun = client.some();
    assert!(begun.ends_with(b"4\r\nsome\r\n"), "{}", begun.escape_ascii());
    server.stop();
    assert_eq!(client.end(), End::Closed(b"5\r\nwords\r\n0\r\n\r\n".to_vec()));
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

fn files(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    for _ in 0..2 {
        client.send([get("/flow/file"), get("/flow/file-part")].concat());
        let whole = client.response();
        assert_eq!(whole.field("content-length").as_deref(), Some(&*FILE.to_string()));
        assert!(whole.body == content(FILE));
        assert_eq!(client.response().body, content(FILE)[1000..1050]);
    }
    client.expect_alive();
}

/// A file that is cut while it is sent cuts the connection: nothing is put in the place of what is missing.
fn shrunk_file(transport: Transport) {
    let server = transport.start();
    let mut client = Client::receiving_little(&server);
    client.send(get("/flow/file").repeat(8));
    let mut come = client.some().len();
    server.application().flow.shrink_file();
    while let Ok(count) = client.try_discard(1 << 20) {
        come += count;
    }
    assert!(come < 8 * FILE, "{come}");
}

/// Of a file that is sent by copies, what a client gets is as it was when it was opened, to whatever place.
fn overwritten_file(transport: Transport) {
    let server = transport.start();
    let mut client = Client::receiving_little(&server);
    client.send(get("/flow/file-copied"));
    let mut come = client.some();
    server.application().flow.overwrite_file();
    come.extend(client.rest());
    let end_of_head = come.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let body = &come[end_of_head.expect("the head is short") + 4..];
    assert!(body.len() < FILE, "the connection broke");
    assert!(*body == content(FILE)[..body.len()]);
}

fn pieces(transport: Transport) {
    let server = transport.start();
    let body = content(200_000);
    let mut client = Client::to(&server);
    for request in [
        post("/flow/pieces", &body),
        [
            chunking("/flow/pieces"),
            chunk(&body[..7]),
            chunk(&body[7..]),
            b"0\r\n\r\n".to_vec(),
        ]
        .concat(),
        post("/flow/pieces", b""),
    ] {
        let sent: &[u8] = if request.ends_with(b"Content-Length: 0\r\n\r\n") {
            b""
        } else {
            &body
        };
        client.send(&request);
        assert_eq!(String::from_utf8_lossy(&client.response().body), digest(sent));
    }
    client.send(post("/flow/read-first", b"once more"));
    assert_eq!(client.response().body, b"once more");
    client.expect_alive();
    client.send(post("/flow/read-late", b"gone"));
    assert_eq!(client.response().status, 500);
}

/// A handler that does not ask for more is sent no more.
fn slow_taker(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.body = 1 << 30));
    let client = Client::sending(&server, declaring("/flow/first", 256 << 20));
    client.send_meanwhile(vec![b'x'; 256 << 20]);
    server.expect_event(Event::Paused);
    let flow = &server.application().flow;
    std::thread::park_timeout(Duration::from_millis(300));
    assert!(flow.taken() <= 1 << 20, "a piece is not the whole: {}", flow.taken());
    drop(client);
}

/// The limit holds for all pieces together, and for what is declared before any.
fn limited(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.body = SMALL));
    let mut client = Client::sending(&server, declaring("/flow/pieces", SMALL + 1));
    assert_eq!(client.response().status, 413);
    let pieces = chunk(&[b'x'; 100]).repeat(SMALL / 100 + 1);
    let mut client = Client::sending(&server, [chunking("/flow/pieces"), pieces].concat());
    assert_eq!(client.response().status, 413);
}

fn cut_short(transport: Transport) {
    let server = transport.start();
    let mut client = Client::sending(&server, declaring("/flow/pieces", 10));
    client.send("12345");
    client.half_close();
    assert_eq!(client.response().status, 400);
}

fn continued(transport: Transport) {
    let server = transport.start();
    let request = String::from_utf8(declaring("/flow/pieces", 4)).expect("it is text");
    let mut client = Client::sending(&server, request.replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n"));
    assert_eq!(client.any_response("POST").status, 100);
    client.send("body");
    assert_eq!(String::from_utf8_lossy(&client.response().body), digest(b"body"));
}

fn upgraded(transport: Transport) {
    let server = transport.start();
    let request = get("/flow/upgrade").replace("\r\n\r\n", "\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n");
    let mut client = Client::sending(&server, request + "ahead");
    let mut come = String::new();
    while !come.ends_with("AHEAD") {
        come += &String::from_utf8(client.some()).expect("it is text");
    }
    let (head, _) = come.split_once("\r\n\r\n").expect("a head has come");
    let mut lines: Vec<&str> = head.split("\r\n").collect();
    lines.retain(|line| !line.starts_with("date: ") && !line.starts_with("x-request-id: "));
    assert_eq!(
        lines,
        [
            "HTTP/1.1 101 Switching Protocols",
            "upgrade: shout",
            "connection: upgrade"
        ]
    );
    client.send("more");
    assert_eq!(client.some(), b"MORE");
    // The server waits for what has left HTTP.
    server.stop();
    assert_eq!(server.down_within(Duration::ZERO), None);
    client.send("last");
    assert_eq!(client.some(), b"LAST");
    client.half_close();
    client.expect_close();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
}

/// What is left of a body can't be told from what the other protocol begins with.
fn upgrade_with_body(transport: Transport) {
    let server = transport.start();
    let request = get("/flow/upgrade").replace(
        "\r\n\r\n",
        "\r\nConnection: upgrade\r\nUpgrade: shout\r\nContent-Length: 4\r\n\r\n",
    );
    let mut client = Client::sending(&server, request + "body");
    let response = client.response();
    assert_eq!(
        (response.status, response.field("connection").as_deref()),
        (400, Some("close"))
    );
    client.expect_close();
}

on_every_transport! {
    chunked, kept, until_close, sized, head_only, broken, as_it_comes, large_pieces, trailers, gone, half_closed, slow_reader,
    until_stopping, files, shrunk_file, overwritten_file, whole_before_its_end, pieces, slow_taker, limited, cut_short, continued, upgraded,
    upgrade_with_body,
}
