//! The probe's routes on hyper 1.x, as a careful person writes them by hand: the bar for Polywire on hyper.
//!
//! `hand-hyper PORT` serves HTTP/1.1 on a multi-threaded runtime; `hand-hyper --pipe N` answers N requests in memory, for
//! callgrind. It is fast where a hand can be: a match on the path, pipelined answers flushed together (`pipeline_flush`, which
//! loses hyper's own refusals). It has no request id, no problem documents, no recovery, no timeouts and no shutdown.
//!
//! Behind the rest, what differs from that:
//!
//! * `--per-core`: one thread per core, each with a current-thread runtime and a listener of its own; the kernel spreads the
//!   connections over them (`SO_REUSEPORT`), evenly only where there are many.
//! * `--tuned`: the request's header map is used again for the answer, which few know saves hyper's allocations. Otherwise each
//!   answer has a map of its own, as in every example one finds.
//! * `--vectored`: without `pipeline_flush`, which has hyper copy what it sends. Pipelined answers then leave one by one, and
//!   files without a copy.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::{LazyLock, mpsc};
use std::thread;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Builder;

const USAGE: &str =
    "usage: hand-hyper PORT [--per-core] [--tuned] [--vectored] | hand-hyper --pipe N [--tuned] [--vectored]";

const BODY_LIMIT: usize = 1024 * 1024;
const WAIT: Duration = Duration::from_millis(1);
/// Of the connections that a core has not accepted yet.
const BACKLOG: u32 = 1024;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

/// How connections are served.
#[derive(Clone, Copy, Default)]
struct How {
    tuned: bool,
    vectored: bool,
}

fn main() -> ExitCode {
    let (mut how, mut per_core, mut rest) = (How::default(), false, Vec::new());
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    for argument in &arguments {
        match &**argument {
            "--tuned" => how.tuned = true,
            "--vectored" => how.vectored = true,
            "--per-core" => per_core = true,
            other => rest.push(other),
        }
    }
    let done = match rest[..] {
        ["--pipe", n] if !per_core => n.parse().ok().map(|requests| answer_in_memory(requests, how)),
        [port] => port.parse().ok().map(|port| serve(port, per_core, how)),
        _ => None,
    };
    done.unwrap_or_else(|| {
        eprintln!("{USAGE}");
        ExitCode::FAILURE
    })
}

fn answer_in_memory(requests: usize, how: How) -> ExitCode {
    pipe::run(requests, |io| connection(TokioIo::new(io), how));
    ExitCode::SUCCESS
}

fn serve(port: u16, per_core: bool, how: How) -> ExitCode {
    let Err(why) = match per_core {
        true => listen_per_core(port, how),
        false => listen(port, how),
    };
    eprintln!("hand-hyper: port {port}: {why}");
    ExitCode::FAILURE
}

fn listen(port: u16, how: How) -> io::Result<Infallible> {
    Builder::new_multi_thread().enable_all().build()?.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        accept(listener, how).await
    })
}

fn listen_per_core(port: u16, how: How) -> io::Result<Infallible> {
    let (ends, ended) = mpsc::channel();
    for _ in 0..thread::available_parallelism()?.get() {
        let socket = TcpSocket::new_v4()?;
        socket.set_reuseaddr(true)?;
        socket.set_reuseport(true)?;
        socket.bind((Ipv4Addr::LOCALHOST, port).into())?;
        let ends = ends.clone();
        thread::spawn(move || {
            let served = Builder::new_current_thread()
                .enable_all()
                .build()
                .and_then(|runtime| runtime.block_on(async { accept(socket.listen(BACKLOG)?, how).await }));
            // The first that ends, ends the process.
            let _ = ends.send(served);
        });
    }
    ended.recv().expect("this end has a sender too")
}

async fn accept(listener: TcpListener, how: How) -> io::Result<Infallible> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(connection(TokioIo::new(stream), how));
    }
}

fn connection(io: impl Read + Write + Unpin + Send + 'static, how: How) -> impl Future<Output = ()> + Send {
    let mut builder = http1::Builder::new();
    let served = builder
        .half_close(true)
        .pipeline_flush(!how.vectored)
        .serve_connection(io, service_fn(move |request| answer(request, how.tuned)));
    async {
        // A client that breaks off is nobody's news.
        let _ = served.await;
    }
}

type Answer = Response<Full<Bytes>>;

async fn answer(request: Request<Incoming>, tuned: bool) -> Result<Answer, Infallible> {
    let (head, body) = request.into_parts();
    let mut headers = if tuned { head.headers } else { HeaderMap::new() };
    headers.clear();
    let path = head.uri.path();
    let query = head.uri.query().unwrap_or("");
    let get = matches!(head.method, Method::GET | Method::HEAD);
    Ok(match path {
        "/" if get => with(headers, TEXT, Bytes::from_static(b"ok")),
        "/ping" if get => with(headers, JSON, Bytes::from_static(br#"{"ok":true}"#)),
        "/search" if get => search(headers, query),
        "/echo" if head.method == Method::POST => echo(headers, body).await,
        "/wait" if get => {
            tokio::time::sleep(WAIT).await;
            with(headers, JSON, Bytes::from_static(br#"{"ok":true}"#))
        }
        "/files/9700" if get => file(headers, 9_700),
        "/files/2100000" if get => file(headers, 2_100_000),
        "/" | "/ping" | "/search" | "/wait" | "/files/9700" | "/files/2100000" => refuse(headers, "GET, HEAD"),
        "/echo" => refuse(headers, "POST"),
        _ => match path.strip_prefix("/users/") {
            Some(id) if id.is_empty() || id.contains('/') => status(headers, StatusCode::NOT_FOUND),
            Some(id) if get => user(headers, id),
            Some(_) => refuse(headers, "GET, HEAD"),
            None => status(headers, StatusCode::NOT_FOUND),
        },
    })
}

#[derive(Serialize)]
struct User<'a> {
    id: u64,
    name: &'a str,
}

fn user(headers: HeaderMap, id: &str) -> Answer {
    match id.parse() {
        // `parse` takes a sign, which is no part of an id.
        Ok(number) if !id.starts_with('+') => json(
            headers,
            &User {
                id: number,
                name: "ann",
            },
        ),
        _ => status(headers, StatusCode::BAD_REQUEST),
    }
}

#[derive(Serialize)]
struct Found<'a> {
    q: &'a str,
    page: u64,
}

fn search(headers: HeaderMap, query: &str) -> Answer {
    let (mut q, mut page) = (None, 1);
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*key {
            "q" => q = Some(value),
            "page" => match value.parse() {
                Ok(number) => page = number,
                Err(_) => return status(headers, StatusCode::BAD_REQUEST),
            },
            _ => {}
        }
    }
    let q = q.as_deref().unwrap_or("");
    json(headers, &Found { q, page })
}

async fn echo(headers: HeaderMap, body: Incoming) -> Answer {
    match Limited::new(body, BODY_LIMIT).collect().await {
        Ok(body) => with(headers, OCTETS, body.to_bytes()),
        Err(why) if why.is::<http_body_util::LengthLimitError>() => status(headers, StatusCode::PAYLOAD_TOO_LARGE),
        Err(_) => status(headers, StatusCode::BAD_REQUEST),
    }
}

fn file(headers: HeaderMap, size: usize) -> Answer {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..2_100_000).map(|at| (at % 251) as u8).collect());
    with(headers, OCTETS, Bytes::from_static(&CONTENT[..size]))
}

fn json(headers: HeaderMap, value: &impl Serialize) -> Answer {
    let body = serde_json::to_vec(value).expect("numbers and texts are JSON");
    with(headers, JSON, body.into())
}

fn with(mut headers: HeaderMap, kind: HeaderValue, body: Bytes) -> Answer {
    headers.insert(CONTENT_TYPE, kind);
    let mut answer = Response::new(Full::new(body));
    *answer.headers_mut() = headers;
    answer
}

fn status(headers: HeaderMap, status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.headers_mut() = headers;
    *answer.status_mut() = status;
    answer
}

fn refuse(mut headers: HeaderMap, allow: &'static str) -> Answer {
    headers.insert(ALLOW, HeaderValue::from_static(allow));
    status(headers, StatusCode::METHOD_NOT_ALLOWED)
}
