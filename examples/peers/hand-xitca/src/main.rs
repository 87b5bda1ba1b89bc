//! The probe's routes on xitca-web, as its documentation has them: `hand-xitca PORT`.
//!
//! One worker per core on epoll, which is its default; its io_uring is no peer of what Polywire does. It is put together from
//! its server and its HTTP, as `SocketConfig` for `TCP_NODELAY` stands between the two. It is told to wait as long as
//! Polywire for a client that says nothing: its own 5 s are over before 10,000 idle connections are measured. It has no
//! `--pipe`, as its connections are made of sockets.

use std::io;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use xitca_http::HttpServiceBuilder;
use xitca_http::config::HttpServiceConfig;
use xitca_http::util::middleware::SocketConfig;
use xitca_web::App;
use xitca_web::bytes::Bytes;
use xitca_web::handler::body::Limit;
use xitca_web::handler::handler_service;
use xitca_web::handler::json::Json;
use xitca_web::handler::params::Params;
use xitca_web::handler::query::Query;
use xitca_web::http::StatusCode;
use xitca_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use xitca_web::route::{get, post};
use xitca_web::service::ServiceExt;

const BODY_LIMIT: usize = 1024 * 1024;
const FIRST_REQUEST: Duration = Duration::from_secs(10);
const KEEP_ALIVE: Duration = Duration::from_secs(60);
const WAIT: Duration = Duration::from_millis(1);

const OCTETS: (HeaderName, HeaderValue) = (CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));

fn main() -> ExitCode {
    let Some(Ok(port)) = std::env::args().nth(1).map(|port| port.parse()) else {
        eprintln!("usage: hand-xitca PORT");
        return ExitCode::FAILURE;
    };
    match listen(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("hand-xitca: port {port}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn listen(port: u16) -> io::Result<()> {
    let http = HttpServiceConfig::new()
        .request_head_timeout(FIRST_REQUEST)
        .keep_alive_timeout(KEEP_ALIVE);
    let app = App::new()
        .at("/", get(handler_service(async || "ok")))
        .at("/ping", get(handler_service(async || Json(Done { ok: true }))))
        .at("/users/{id}", get(handler_service(user)))
        .at("/search", get(handler_service(search)))
        .at("/echo", post(handler_service(echo)))
        .at("/wait", get(handler_service(wait)))
        .at("/files/{size}", get(handler_service(file)))
        .finish();
    let service = app
        .enclosed(HttpServiceBuilder::with_config(http))
        .enclosed(SocketConfig::new().set_nodelay(true));
    xitca_server::Builder::new()
        .bind("hand-xitca", (Ipv4Addr::LOCALHOST, port), service)?
        .build()
        .wait()
}

#[derive(Serialize)]
struct Done {
    ok: bool,
}

#[derive(Serialize)]
struct User {
    id: u64,
    name: &'static str,
}

async fn user(Params(id): Params<u64>) -> Json<User> {
    Json(User { id, name: "ann" })
}

#[derive(Serialize, Deserialize)]
struct Search {
    #[serde(default)]
    q: String,
    #[serde(default = "first")]
    page: u64,
}

fn first() -> u64 {
    1
}

async fn search(Query(search): Query<Search>) -> Json<Search> {
    Json(search)
}

async fn echo((body, _): (Bytes, Limit<BODY_LIMIT>)) -> ((HeaderName, HeaderValue), Bytes) {
    (OCTETS, body)
}

async fn wait() -> Json<Done> {
    tokio::time::sleep(WAIT).await;
    Json(Done { ok: true })
}

async fn file(Params(size): Params<usize>) -> Result<((HeaderName, HeaderValue), Bytes), StatusCode> {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..2_100_000).map(|at| (at % 251) as u8).collect());
    match size {
        9_700 | 2_100_000 => Ok((OCTETS, Bytes::from_static(&CONTENT[..size]))),
        _ => Err(StatusCode::NOT_FOUND),
    }
}
