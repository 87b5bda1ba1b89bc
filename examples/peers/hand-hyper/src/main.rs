//! The probe's routes on hyper 1.x, as a careful person writes them by hand: the bar for Polywire on hyper.
//!
//! `hand-hyper PORT` serves HTTP/1.1 on a multi-threaded runtime; `hand-hyper --pipe N` answers N requests in memory, for
//! callgrind. It is fast where a hand can be: a match on the path, pipelined answers flushed together (`pipeline_flush`, which
//! loses hyper's own refusals). It has no request id, no problem documents, no recovery, no timeouts and no shutdown.
//!
//! Each answer has a header map of its own, as in every example one finds. With `--tuned` behind the rest, the request's map
//! is used again for the answer, which few know saves hyper's allocations.

use std::convert::Infallible;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::rt::{Read, Write};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use tokio::net::TcpListener;

const BODY_LIMIT: usize = 1024 * 1024;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const OCTETS: HeaderValue = HeaderValue::from_static("application/octet-stream");

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (first, second) = (arguments.next().unwrap_or_default(), arguments.next());
    let tuned = std::env::args().next_back().is_some_and(|last| last == "--tuned");
    let second = second.filter(|second| second != "--tuned");
    match (&*first, first.parse(), second.map(|n| n.parse())) {
        ("--pipe", _, Some(Ok(requests))) => {
            pipe::run(requests, |io| connection(TokioIo::new(io), tuned));
            ExitCode::SUCCESS
        }
        (_, Ok(port), None) => match listen(port, tuned) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("hand-hyper: port {port}: {why}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: hand-hyper PORT [--tuned] | hand-hyper --pipe N [--tuned]");
            ExitCode::FAILURE
        }
    }
}

fn listen(port: u16, tuned: bool) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(connection(TokioIo::new(stream), tuned));
        }
    })
}

fn connection(io: impl Read + Write + Unpin + Send + 'static, tuned: bool) -> impl Future<Output = ()> + Send {
    let mut builder = http1::Builder::new();
    let served = builder
        .half_close(true)
        .pipeline_flush(true)
        .serve_connection(io, service_fn(move |request| answer(request, tuned)));
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
        "/" | "/ping" | "/search" => refuse(headers, "GET, HEAD"),
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
