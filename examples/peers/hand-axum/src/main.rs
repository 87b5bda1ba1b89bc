//! The probe's routes on axum, as its documentation has them.
//!
//! `hand-axum PORT` serves with `axum::serve`; `hand-axum --pipe N` answers N requests in memory, for callgrind, on hyper's
//! HTTP/1.1 connection as `axum::serve` does.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, Path, Query};
use axum::http::StatusCode;
use axum::response::Response;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tokio_stream::{Stream, StreamExt};

const BODY_LIMIT: usize = 1024 * 1024;
const WAIT: Duration = Duration::from_millis(1);
/// From one event to the next.
const TICK: Duration = Duration::from_secs(1);
/// How far a client of events may be behind.
const BEHIND: usize = 16;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (first, second) = (arguments.next().unwrap_or_default(), arguments.next());
    match (&*first, first.parse(), second.map(|n| n.parse())) {
        ("--pipe", _, Some(Ok(requests))) => {
            pipe::run(requests, |io| {
                let service = TowerToHyperService::new(routes());
                let served = http1::Builder::new().serve_connection(TokioIo::new(io), service);
                async { drop(served.await) }
            });
            ExitCode::SUCCESS
        }
        (_, Ok(port), None) => match listen(port) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("hand-axum: port {port}: {why}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: hand-axum PORT | hand-axum --pipe N");
            ExitCode::FAILURE
        }
    }
}

fn listen(port: u16) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await?;
        let listener = listener.tap_io(|stream| {
            // Without, pipelined answers wait for the client's acknowledgements.
            if let Err(why) = stream.set_nodelay(true) {
                eprintln!("hand-axum: {why}");
            }
        });
        axum::serve(listener, routes()).await
    })
}

fn routes() -> Router {
    Router::new()
        .route("/", get(async || "ok"))
        .route("/ping", get(async || Json(Done { ok: true })))
        .route("/users/{id}", get(user))
        .route("/search", get(search))
        .route("/echo", post(async |body: Bytes| body))
        .route("/wait", get(wait))
        .route("/files/{size}", get(file))
        .route("/events", get(events))
        .route("/ws", get(socket))
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
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

async fn user(Path(id): Path<u64>) -> Json<User> {
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

async fn wait() -> Json<Done> {
    tokio::time::sleep(WAIT).await;
    Json(Done { ok: true })
}

async fn file(Path(size): Path<usize>) -> Result<Bytes, StatusCode> {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..2_100_000).map(|at| (at % 251) as u8).collect());
    match size {
        9_700 | 2_100_000 => Ok(Bytes::from_static(&CONTENT[..size])),
        _ => Err(StatusCode::NOT_FOUND),
    }
}

/// A clock that all clients hear.
async fn events() -> Sse<impl Stream<Item = Result<Event, BroadcastStreamRecvError>>> {
    static CLOCK: LazyLock<broadcast::Sender<u64>> = LazyLock::new(|| {
        let (clock, _) = broadcast::channel(BEHIND);
        let ticking = clock.clone();
        tokio::spawn(async move {
            for second in 1.. {
                tokio::time::sleep(TICK).await;
                // Nobody may listen.
                let _ = ticking.send(second);
            }
        });
        clock
    });
    let event = |second: u64| {
        Event::default()
            .id(second.to_string())
            .event("tick")
            .data(second.to_string())
    };
    let ticks = BroadcastStream::new(CLOCK.subscribe()).map(move |second| second.map(event));
    Sse::new(ticks).keep_alive(KeepAlive::default())
}

async fn socket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(echo)
}

async fn echo(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        if socket.send(message).await.is_err() {
            return;
        }
    }
}
