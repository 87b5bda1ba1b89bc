//! Two tenants: over a million requests on connections that come and go, with the tenant's marker in path, query, fields and body of
//! each, and nobody ever sees the other's. Buffers and heads are used again and again meanwhile, after panics, errors,
//! refusals, large bodies and clients that went in the middle of something.
//!
//! Every answer is compared to the byte, so what belongs to an earlier request of the same tenant is found as well.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};

use socket2::SockRef;

use crate::client::{chunk, is_reset};
use crate::conversation::is_date;
use crate::transport::{PATIENCE, Transport};

/// Requests in all.
const REQUESTS: usize = 1_000_000;
/// Connections of each tenant at once: enough for every worker to have some of both.
const CONNECTIONS: usize = 2;
/// Requests that are sent together.
const PIPELINED: usize = 64;
/// Batches that a connection is used for.
const LIFETIME: usize = 40;
/// What stands for the number of a batch.
const NUMBER: &[u8] = b"########";
/// What stands for a date.
const DATE: &[u8; 29] = b"*****************************";

/// Bytes with places for a number.
struct Template {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Template {
    fn new(bytes: Vec<u8>) -> Self {
        let places = places(&bytes, NUMBER);
        Self { bytes, places }
    }

    fn number(&mut self, number: usize) {
        let digits = format!("{number:08}");
        for &at in &self.places {
            self.bytes[at..at + NUMBER.len()].copy_from_slice(digits.as_bytes());
        }
    }
}

/// Where something stands in bytes.
fn places(bytes: &[u8], wanted: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut at = 0;
    while at + wanted.len() <= bytes.len() {
        if bytes[at..].starts_with(wanted) {
            places.push(at);
            at += wanted.len();
        } else {
            at += 1;
        }
    }
    places
}

/// Requests that are sent together, and all that must come back.
struct Batch {
    requests: Template,
    answers: Template,
    dates: Vec<usize>,
    count: usize,
    /// The server closes behind it.
    closes: bool,
}

/// What a request is to do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Get,
    Sized(usize),
    Chunked(usize),
    Unread,
    Panic,
    PanicLate,
    NotFound,
    BadParameter,
    TooLarge,
    /// No request at all.
    Refused,
}

impl Batch {
    fn new(tenant: &str, kinds: impl IntoIterator<Item = Kind>) -> Self {
        let (mut requests, mut answers) = (Vec::new(), Vec::new());
        let (mut count, mut closes) = (0, false);
        for (slot, kind) in kinds.into_iter().enumerate() {
            let marker = format!("{tenant}-########-{slot:02}");
            let (request, answer) = exchange(kind, &marker);
            requests.extend(request);
            answers.extend(answer);
            closes |= kind == Kind::Refused;
            count += 1;
        }
        Self {
            requests: Template::new(requests),
            dates: places(&answers, DATE),
            answers: Template::new(answers),
            count,
            closes,
        }
    }
}

/// A request, and its answer.
fn exchange(kind: Kind, marker: &str) -> (Vec<u8>, Vec<u8>) {
    let head = |method: &str, path: &str, fields: &str| {
        format!(
            "{method} {path}?q={marker} HTTP/1.1\r\nHost: localhost\r\nX-Marker: {marker}\r\nX-Request-Id: {marker}\r\n{fields}\r\n"
        )
    };
    let mirror = format!("/mirror/{marker}");
    let mirrored = |body: &str| {
        let content = format!("{marker}\nq={marker}\n{marker}\n{body}\n");
        answer("200 OK", "", Some(marker), &content)
    };
    let problem = |status: &str, kind: &str, title: &str, detail: &str| {
        let code = &status[..3];
        let detail = if detail.is_empty() {
            String::new()
        } else {
            format!(",\"detail\":\"{detail}\"")
        };
        let content =
            format!("{{\"type\":\"urn:polywire:problem:{kind}\",\"title\":\"{title}\",\"status\":{code}{detail}}}");
        let id = (kind != "bad-request").then_some(marker);
        let close = if id.is_some() { "" } else { "connection: close\r\n" };
        let fields = "content-type: application/problem+json\r\n";
        let mut answer = answer(status, fields, id, &content);
        if !close.is_empty() {
            let at = places(&answer, b"content-length")[0];
            answer.splice(at..at, close.bytes());
        }
        answer
    };
    let text = |length: usize| marker.repeat(length.div_ceil(marker.len()));
    match kind {
        Kind::Get => (head("GET", &mirror, "").into(), mirrored("")),
        Kind::Sized(length) => {
            let body = text(length);
            let head = head("POST", &mirror, &format!("Content-Length: {}\r\n", body.len()));
            ([head, body.clone()].concat().into(), mirrored(&body))
        }
        Kind::Chunked(length) => {
            let body = text(length);
            // Between two markers: a place for a number must not be in both.
            let (one, other) = body.as_bytes().split_at(body.len() / marker.len() / 3 * marker.len());
            let head = head("POST", &mirror, "Transfer-Encoding: chunked\r\n");
            let request = [
                head.as_bytes(),
                &chunk(one),
                &chunk(other),
                b"0\r\nX-T: ",
                marker.as_bytes(),
                b"\r\n\r\n",
            ];
            (request.concat(), mirrored(&body))
        }
        Kind::Unread => {
            let body = text(300);
            let head = head("POST", "/ignore", &format!("Content-Length: {}\r\n", body.len()));
            let text = "content-type: text/plain; charset=utf-8\r\n";
            (
                [head, body].concat().into(),
                answer("200 OK", text, Some(marker), "ignored"),
            )
        }
        Kind::Panic => (
            head("GET", "/panic", "").into(),
            problem(
                "500 Internal Server Error",
                "internal-server-error",
                "Internal server error",
                "",
            ),
        ),
        Kind::PanicLate => {
            let body = text(100);
            let head = head("POST", "/panic", &format!("Content-Length: {}\r\n", body.len()));
            let answer = problem(
                "500 Internal Server Error",
                "internal-server-error",
                "Internal server error",
                "",
            );
            ([head, body].concat().into(), answer)
        }
        Kind::NotFound => (
            head("GET", &format!("/{marker}"), "").into(),
            problem("404 Not Found", "not-found", "Not found", ""),
        ),
        Kind::BadParameter => (
            head("GET", &format!("/users/{marker}"), "").into(),
            problem(
                "400 Bad Request",
                "invalid-path-parameter",
                "Invalid path parameter",
                "`id` must be a whole number that fits u64",
            ),
        ),
        Kind::TooLarge => {
            let body = text(2000);
            let head = head("POST", "/small", &format!("Content-Length: {}\r\n", body.len()));
            let detail = "the body may have at most 1024 bytes";
            let answer = problem(
                "413 Payload Too Large",
                "content-too-large",
                "Content too large",
                detail,
            );
            ([head, body].concat().into(), answer)
        }
        Kind::Refused => (
            head("GET", &mirror, &format!("Host: {marker}\r\n")).into(),
            problem(
                "400 Bad Request",
                "bad-request",
                "Bad request",
                "Host is sent more than once",
            ),
        ),
    }
}

fn answer(status: &str, fields: &str, id: Option<&str>, content: &str) -> Vec<u8> {
    let id = id.map(|id| format!("x-request-id: {id}\r\n")).unwrap_or_default();
    let date = String::from_utf8_lossy(DATE);
    let length = content.len();
    format!("HTTP/1.1 {status}\r\n{fields}{id}content-length: {length}\r\ndate: {date}\r\n\r\n{content}").into()
}

/// A tenant's connection, used until it is time for another.
struct Line {
    server: SocketAddr,
    stream: TcpStream,
    came: Vec<u8>,
}

impl Line {
    fn to(server: SocketAddr) -> Self {
        Self {
            server,
            stream: connect(server),
            came: Vec::new(),
        }
    }

    /// Sends a batch and checks what comes back.
    fn exchange(&mut self, batch: &mut Batch, number: usize) {
        batch.requests.number(number);
        batch.answers.number(number);
        self.stream
            .write_all(&batch.requests.bytes)
            .expect("the server takes what is sent");
        self.came.resize(batch.answers.bytes.len(), 0);
        let read = self.stream.read_exact(&mut self.came);
        for &at in &batch.dates {
            let date = &mut self.came[at..at + DATE.len()];
            if is_date(date) {
                date.copy_from_slice(DATE);
            }
        }
        if read.is_err() || self.came != batch.answers.bytes {
            let same = self
                .came
                .iter()
                .zip(&batch.answers.bytes)
                .take_while(|(a, b)| a == b)
                .count();
            let shown = |bytes: &[u8]| {
                bytes[same.saturating_sub(200)..bytes.len().min(same + 300)]
                    .escape_ascii()
                    .to_string()
            };
            panic!(
                "{read:?}: came\n{}\nand not\n{}",
                shown(&self.came),
                shown(&batch.answers.bytes)
            );
        }
        if batch.closes {
            let mut rest = [0; 16];
            assert_eq!(
                self.stream.read(&mut rest).expect("a close is no reset"),
                0,
                "closed behind a refusal"
            );
            self.stream = connect(self.server);
        }
    }

    /// Goes away in the middle of sending a batch, or of reading the answers, and comes back on a new connection.
    fn vanish(&mut self, batch: &mut Batch, number: usize) {
        batch.requests.number(number);
        let bytes = &batch.requests.bytes;
        let sent = match number % 3 {
            // Somewhere within a request, which may be within its body.
            0 => bytes.len() * (number % 97) / 97,
            _ => bytes.len(),
        };
        let sent = self.stream.write_all(&bytes[..sent]);
        if let Err(why) = sent {
            assert!(is_reset(why.kind()), "{why}");
        }
        if number.is_multiple_of(2) {
            let _ = self.stream.read(&mut [0; 1000]);
        }
        let socket = SockRef::from(&self.stream);
        socket
            .set_linger(Some(std::time::Duration::ZERO))
            .expect("a connected socket takes options");
        self.stream = connect(self.server);
    }
}

fn connect(server: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&server, PATIENCE).expect("the server can be connected to");
    stream.set_nodelay(true).expect("a connected socket takes options");
    stream.set_read_timeout(Some(PATIENCE)).expect("as above");
    stream
}

/// One connection's share of a tenant's requests.
fn run(tenant: &str, server: SocketAddr, handled: &AtomicUsize, wanted: usize) {
    let mixed = |slot: usize| match slot % 16 {
        3 => Kind::Sized(20 + 8 * slot),
        5 => Kind::Chunked(50 + 10 * slot),
        7 => Kind::Unread,
        9 => Kind::NotFound,
        11 => Kind::BadParameter,
        12 if slot < 32 => Kind::Panic,
        13 if slot < 32 => Kind::PanicLate,
        14 if slot < 32 => Kind::TooLarge,
        _ => Kind::Get,
    };
    let mut plain = Batch::new(tenant, (0..PIPELINED).map(|_| Kind::Get));
    let mut mixed = Batch::new(tenant, (0..PIPELINED).map(mixed));
    let mut large = Batch::new(
        tenant,
        [
            Kind::Sized(100_000),
            Kind::Get,
            Kind::Chunked(70_000),
            Kind::Get,
            Kind::Sized(17_000),
        ],
    );
    let mut refused = Batch::new(tenant, [Kind::Get, Kind::Sized(100), Kind::Refused]);
    let mut line = Line::to(server);
    let mut number = 0;
    while handled.load(Ordering::Relaxed) < wanted {
        number += 1;
        let batch = match number % 20 {
            4 | 8 | 12 => &mut mixed,
            15 => &mut large,
            19 => &mut refused,
            _ => &mut plain,
        };
        line.exchange(batch, number);
        handled.fetch_add(batch.count, Ordering::Relaxed);
        if number.is_multiple_of(LIFETIME) {
            line.stream = connect(server);
        }
        if number % 10 == 7 {
            let batch = if number % 20 == 7 { &mut large } else { &mut mixed };
            line.vanish(batch, number);
        }
    }
}

fn nobody_sees_the_other(transport: Transport) {
    let server = transport.start();
    let address = server.address();
    let handled = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for tenant in ["alpha", "omega"] {
            for _ in 0..CONNECTIONS {
                let handled = &handled;
                scope.spawn(move || run(tenant, address, handled, REQUESTS));
            }
        }
    });
    assert!(handled.load(Ordering::Relaxed) >= REQUESTS);
}

on_every_transport! { nobody_sees_the_other, }
