//! What is said in the parity tests of what lasts longer than a buffer: files with every mixture of preconditions and ranges, streams of
//! values, downloads, uploads, WebSockets. As [`crate::talks`], the same every time.
//!
//! `GET /events` is not among it: how many events there have been when a client goes is chance.

use pw_conformance::draw::Draw;
use pw_conformance::request::Request;
use pw_conformance::websocket::client_frame;

use crate::client::{chunk, chunking, get, post};
use crate::conversation::Step;
use crate::talks::Talk;

/// Routes for requests that are drawn, beside some that are answered from a buffer.
pub const DRAWN: [(&str, &str); 12] = [
    ("GET", "/static/hello.txt"),
    ("GET", "/static/long.txt"),
    ("GET", "/static/empty.txt"),
    ("GET", "/static/style.css"),
    ("GET", "/static/missing"),
    ("GET", "/count/3"),
    ("GET", "/download/0"),
    ("GET", "/download/70000"),
    ("POST", "/upload"),
    ("POST", "/echo"),
    ("GET", "/users/7"),
    ("GET", "/ws"),
];

/// All of it. `tag` is the entity tag of `/static/long.txt`, and `date` when it was last modified.
pub fn all(tag: &str, date: &str) -> Vec<Talk> {
    [routes(), conditions(tag, date), formats(), uploads(), runs(), sockets()]
        .into_iter()
        .flatten()
        .collect()
}

/// Each route, and paths that lead to no file, with each method, in each way to want the connection kept.
fn routes() -> Vec<Talk> {
    const TARGETS: [&str; 20] = [
        "/static/hello.txt",
        "/static/long.txt",
        "/static/empty.txt",
        "/static/style.css",
        "/static/with%20space.txt",
        "/static/sub",
        "/static/sub/",
        "/static/sub/inner.txt",
        "/static/.env",
        "/static/link-out",
        "/static/../secret.txt",
        "/static/%2e%2e%2fsecret.txt",
        "/static/",
        "/count/0",
        "/count/3000",
        "/download/0",
        "/download/65537",
        "/download/x",
        "/upload",
        "/ws",
    ];
    let mut talks = Vec::new();
    for target in TARGETS {
        for method in ["GET", "HEAD", "POST", "OPTIONS", "DELETE"] {
            for (version, connection) in [
                ("HTTP/1.1", ""),
                ("HTTP/1.1", "Connection: close\r\n"),
                ("HTTP/1.0", ""),
                ("HTTP/1.0", "Connection: keep-alive\r\n"),
            ] {
                let request = format!("{method} {target} {version}\r\nHost: localhost\r\n{connection}\r\n");
                let name = format!("{method} {target} {version} {}", connection.trim());
                talks.push(Talk::at_once(name, request));
            }
        }
    }
    for (method, accept) in [("HEAD", "*/*"), ("POST", "*/*"), ("GET", "application/json")] {
        let request = format!("{method} /events HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n");
        talks.push(Talk::at_once(format!("{method} /events, accepting {accept}"), request));
    }
    talks
}

/// Preconditions, ranges and codings, mixed at random.
fn conditions(tag: &str, date: &str) -> Vec<Talk> {
    const OLD: &str = "Sat, 01 Jan 2000 00:00:00 GMT";
    const LATER: &str = "Fri, 01 Jan 2100 00:00:00 GMT";
    let weak = format!("W/{tag}");
    let list = format!("\"a\", {tag}, \"b\"");
    let tags = ["*", tag, &weak, "\"other\"", &list, "junk", ""];
    let dates = [date, OLD, LATER, "junk"];
    let either = [tag, &weak, "\"other\"", date, OLD, LATER];
    let ranges = [
        "bytes=0-7",
        "bytes=-8",
        "bytes=100-",
        "bytes=16384-39999",
        "bytes=0-7,20000-20007",
        "bytes=0-0,-1,5-5",
        "bytes=0-,0-,0-",
        "bytes=5-2",
        "bytes=40000-",
        "bytes=50000-,0-1",
        "bytes=99999999999999999999-",
        "lines=0-7",
        "bytes=x",
    ];
    let codings = ["gzip", "gzip;q=0", "identity;q=0", "br, gzip;q=0.5", "*"];
    let mut draw = Draw::seeded(5);
    let mut talks = Vec::new();
    for at in 0..600 {
        let mut requests = Vec::new();
        for _ in 0..draw.between(1, 3) {
            let method = *draw.pick(&["GET", "GET", "HEAD"]);
            let file = *draw.pick(&["long.txt", "long.txt", "hello.txt", "style.css", "empty.txt"]);
            let mut request = format!("{method} /static/{file} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: mine\r\n");
            let mut field = |draw: &mut Draw<'_>, times, name: &str, values: &[&str]| {
                if draw.once_in(times) {
                    request += &format!("{name}: {}\r\n", draw.pick(values));
                }
            };
            field(&mut draw, 6, "If-Match", &tags);
            field(&mut draw, 6, "If-None-Match", &tags);
            field(&mut draw, 6, "If-Modified-Since", &dates);
            field(&mut draw, 6, "If-Unmodified-Since", &dates);
            field(&mut draw, 3, "If-Range", &either);
            field(&mut draw, 2, "Range", &ranges);
            field(&mut draw, 3, "Accept-Encoding", &codings);
            requests.push((request + "\r\n").into_bytes());
        }
        talks.push(Talk::of(format!("conditions {at}"), &requests));
    }
    talks
}

/// One stream of values in each form, and in none.
fn formats() -> Vec<Talk> {
    let mut talks = Vec::new();
    for count in [0, 1, 3, 1000] {
        for accept in [
            "text/event-stream",
            "application/x-ndjson",
            "application/json",
            "*/*",
            "text/html",
            "application/json;q=0, */*;q=0.1",
            "junk",
        ] {
            for (version, method) in [("HTTP/1.1", "GET"), ("HTTP/1.1", "HEAD"), ("HTTP/1.0", "GET")] {
                let request =
                    format!("{method} /count/{count} {version}\r\nHost: localhost\r\nAccept: {accept}\r\n\r\n");
                talks.push(Talk::at_once(
                    format!("{method} /count/{count} {version}, {accept}"),
                    request,
                ));
            }
        }
    }
    talks
}

/// Bodies that are taken piece by piece, sent in writes of every size, and cut short.
fn uploads() -> Vec<Talk> {
    let mut talks = Vec::new();
    let whole = [
        post("/upload", &[b'u'; 200]),
        post("/upload", &[b'u'; 100_000]),
        [
            chunking("/upload"),
            chunk(&[b'u'; 70]),
            chunk(&[b'v'; 70]),
            b"0\r\nX: y\r\n\r\n".to_vec(),
        ]
        .concat(),
        [chunking("/upload"), chunk(&[b'u'; 70_000]), b"0\r\n\r\n".to_vec()].concat(),
    ];
    for (at, request) in whole.iter().enumerate() {
        for size in [1, 7, 100, 4096, 65_536] {
            if request.len() / size > 400 {
                continue;
            }
            let mut steps: Vec<Step> = request.chunks(size).map(|piece| Step::Send(piece.into())).collect();
            steps.push(Step::Send(get("/ping").into_bytes()));
            talks.push(Talk::in_steps(format!("upload {at} in writes of {size}"), steps));
        }
        for end in [1, 40, 70, 80, 90, 150, request.len() - 1] {
            let steps = vec![Step::Send(request[..end].into())];
            talks.push(Talk::in_steps(format!("{end} bytes of upload {at}"), steps));
        }
    }
    talks
}

/// Pipelined runs of one to twelve requests, of which some are answered over time and others from a buffer.
fn runs() -> Vec<Talk> {
    let mut draw = Draw::seeded(21);
    let mut talks = Vec::new();
    for length in (1..=12).cycle().take(120) {
        let requests: Vec<Vec<u8>> = (0..length)
            .map(|at| Request::good(&mut draw, &DRAWN, &format!("run-{at}")).bytes())
            .collect();
        talks.push(Talk::of(
            format!("a lasting run of {length}, number {}", talks.len()),
            &requests,
        ));
    }
    talks
}

/// WebSockets: what is good, what is wrong, and what is cut, behind a handshake in the same write or in one of its own.
fn sockets() -> Vec<Talk> {
    let open = |more: &str| {
        format!(
            "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: cG9seXdpcmUtc3VpdGUxNg==\r\nX-Request-Id: mine\r\n{more}\r\n"
        )
        .into_bytes()
    };
    let end = client_frame(8, &1000_u16.to_be_bytes());
    let unfinished = |mut frame: Vec<u8>| {
        frame[0] &= 0x7f;
        frame
    };
    let said = [
        ("nothing", Vec::new()),
        ("a text", client_frame(1, b"hello")),
        (
            "text and binary",
            [client_frame(1, "h\u{e9}".as_bytes()), client_frame(2, b"\xff\0")].concat(),
        ),
        ("many", client_frame(1, b"again and again").repeat(500)),
        ("a ping", client_frame(9, b"ping")),
        (
            "fragments about a ping",
            [
                unfinished(client_frame(1, b"he")),
                client_frame(9, b"p"),
                unfinished(client_frame(0, b"ll")),
                client_frame(0, b"o"),
            ]
            .concat(),
        ),
        ("text that is none", client_frame(1, b"a\xff")),
        ("a reserved opcode", client_frame(3, b"a")),
        ("a continuation of nothing", client_frame(0, b"a")),
        ("a close of one byte", client_frame(8, b"a")),
        ("a close without a code", client_frame(8, b"")),
        ("a close with a wrong code", client_frame(8, &1005_u16.to_be_bytes())),
        ("a frame without a mask", vec![0x81, 1, b'a']),
        (
            "a length that is too much",
            vec![0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4],
        ),
        ("half a frame", client_frame(1, b"hello")[..7].to_vec()),
    ];
    let mut talks = Vec::new();
    for (name, frames) in said {
        for (ending, last) in [("and a close", &end[..]), ("and no close", b"")] {
            let frames = [&frames[..], last].concat();
            talks.push(Talk::in_steps(
                format!("a WebSocket: {name} {ending}, at once"),
                vec![Step::Send([open(""), frames.clone()].concat())],
            ));
            talks.push(Talk::in_steps(
                format!("a WebSocket: {name} {ending}, in turn"),
                vec![Step::Send(open("")), Step::Hear("GET"), Step::Send(frames.clone())],
            ));
            let mut steps = vec![Step::Send([get("/static/hello.txt").into_bytes(), open("")].concat())];
            steps.extend(frames.chunks(3).take(200).map(|piece| Step::Send(piece.into())));
            talks.push(Talk::in_steps(
                format!("a WebSocket: {name} {ending}, in pieces"),
                steps,
            ));
        }
    }
    for (name, more) in [
        ("a page elsewhere", "Origin: http://elsewhere\r\n"),
        ("a page here", "Origin: http://localhost\r\n"),
        ("a body", "Content-Length: 3\r\n"),
        ("a second key", "Sec-WebSocket-Key: cG9seXdpcmUtc3VpdGUxNg==\r\n"),
        ("protocols", "Sec-WebSocket-Protocol: chat, talk\r\n"),
        ("an extension", "Sec-WebSocket-Extensions: permessage-deflate\r\n"),
    ] {
        let bytes = [open(more), end.clone()].concat();
        talks.push(Talk::in_steps(format!("a WebSocket: {name}"), vec![Step::Send(bytes)]));
    }
    talks
}
