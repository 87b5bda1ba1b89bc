//! The probe's routes on may_minihttp 0.1, as far as it goes: `hand-may PORT`.
//!
//! What it does not do, because may_minihttp does not: chunked bodies (they are read as the next request), closing a
//! connection by itself (`connection: close` is said in the answer, the client then closes), 100-continue, HEAD (refused,
//! since the answer would carry a body), the body of a GET (read as the next request), `TCP_NODELAY`, limits, timeouts. A
//! request of more than 16 fields or with a malformed `content-length` costs its connection. Every answer says
//! `Server: M` besides what the other peers say.
//!
//! What is fast about it is kept: answers are written into its buffer, without an allocation, and pipelined ones leave
//! together. Files are copied, twice, since it sends without a copy only what is text.

use std::io::{self, Read};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::BufMut;
use may::coroutine;
use may_minihttp::{HttpServer, HttpService, Request, Response};
use serde::Serialize;

const BODY_LIMIT: u64 = 1024 * 1024;
const WAIT: Duration = Duration::from_millis(1);

const TEXT: &str = "content-type: text/plain; charset=utf-8";
const JSON: &str = "content-type: application/json";
const OCTETS: &str = "content-type: application/octet-stream";

fn main() -> ExitCode {
    let Some(Ok(port)) = std::env::args().nth(1).map(|port| port.parse::<u16>()) else {
        eprintln!("usage: hand-may PORT");
        return ExitCode::FAILURE;
    };
    let served = HttpServer(Peer).start((Ipv4Addr::LOCALHOST, port));
    match served.map(|server| server.join()) {
        Ok(_) => eprintln!("hand-may: stopped accepting"),
        Err(why) => eprintln!("hand-may: port {port}: {why}"),
    }
    ExitCode::FAILURE
}

#[derive(Clone)]
struct Peer;

impl HttpService for Peer {
    fn call(&mut self, request: Request<'_, '_, '_>, answer: &mut Response<'_>) -> io::Result<()> {
        if closes(&request) {
            answer.header("connection: close");
        }
        let (path, query) = request.path().split_once('?').unwrap_or((request.path(), ""));
        let get = request.method() == "GET";
        match path {
            "/" if get => whole(answer, TEXT, "ok"),
            "/ping" if get => whole(answer, JSON, r#"{"ok":true}"#),
            "/search" if get => search(answer, query)?,
            "/echo" if request.method() == "POST" => return echo(answer, request),
            "/wait" if get => {
                coroutine::sleep(WAIT);
                whole(answer, JSON, r#"{"ok":true}"#);
            }
            "/files/9700" if get => file(answer, 9_700),
            "/files/2100000" if get => file(answer, 2_100_000),
            "/" | "/ping" | "/search" | "/wait" | "/files/9700" | "/files/2100000" => refuse(answer, "allow: GET"),
            "/echo" => refuse(answer, "allow: POST"),
            _ => match path.strip_prefix("/users/") {
                Some(id) if id.is_empty() || id.contains('/') => status(answer, 404, "Not Found"),
                Some(id) if get => user(answer, id)?,
                Some(_) => refuse(answer, "allow: GET"),
                None => status(answer, 404, "Not Found"),
            },
        }
        if !get {
            // Whatever of the body is not read is dropped with it.
            drop(request.body());
        }
        Ok(())
    }
}

fn closes(request: &Request<'_, '_, '_>) -> bool {
    let mut fields = request.headers().iter();
    fields.any(|field| field.name.eq_ignore_ascii_case("connection") && field.value.eq_ignore_ascii_case(b"close"))
}

#[derive(Serialize)]
struct User<'a> {
    id: u64,
    name: &'a str,
}

fn user(answer: &mut Response<'_>, id: &str) -> io::Result<()> {
    match id.parse() {
        // `parse` takes a sign, which is no part of an id.
        Ok(number) if !id.starts_with('+') => json(
            answer,
            &User {
                id: number,
                name: "ann",
            },
        ),
        _ => {
            status(answer, 400, "Bad Request");
            Ok(())
        }
    }
}

#[derive(Serialize)]
struct Found<'a> {
    q: &'a str,
    page: u64,
}

fn search(answer: &mut Response<'_>, query: &str) -> io::Result<()> {
    let (mut q, mut page) = (None, 1);
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "q" => q = Some(value),
            "page" => match value.parse() {
                Ok(number) => page = number,
                Err(_) => {
                    status(answer, 400, "Bad Request");
                    return Ok(());
                }
            },
            _ => {}
        }
    }
    let q = q.as_deref().unwrap_or("");
    json(answer, &Found { q, page })
}

fn echo(answer: &mut Response<'_>, request: Request<'_, '_, '_>) -> io::Result<()> {
    let mut body = Vec::new();
    let mut reader = request.body();
    (&mut reader).take(BODY_LIMIT + 1).read_to_end(&mut body)?;
    if body.len() as u64 > BODY_LIMIT {
        status(answer, 413, "Content Too Large");
    } else {
        answer.header(OCTETS);
        answer.body_vec(body);
    }
    Ok(())
}

fn file(answer: &mut Response<'_>, size: usize) {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..2_100_000).map(|at| (at % 251) as u8).collect());
    answer.header(OCTETS);
    answer.body_mut().extend_from_slice(&CONTENT[..size]);
}

fn whole(answer: &mut Response<'_>, kind: &'static str, body: &'static str) {
    answer.header(kind);
    answer.body(body);
}

fn json(answer: &mut Response<'_>, value: &impl Serialize) -> io::Result<()> {
    answer.header(JSON);
    Ok(serde_json::to_writer(answer.body_mut().writer(), value)?)
}

fn status(answer: &mut Response<'_>, code: usize, reason: &'static str) {
    answer.status_code(code, reason);
}

fn refuse(answer: &mut Response<'_>, allow: &'static str) {
    answer.header(allow);
    status(answer, 405, "Method Not Allowed");
}
