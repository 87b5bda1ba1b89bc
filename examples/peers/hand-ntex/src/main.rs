//! The probe's routes on ntex, as its documentation has them: `hand-ntex PORT`.
//!
//! One worker per core, which is its default, on tokio, as its README has it; its io_uring is no peer of what Polywire does.
//! It is told to wait as long as Polywire for a client that says nothing: its own second, and its 5 s between requests, are
//! over before 10,000 idle connections are measured. `/wait` is tokio's timer, since ntex's own goes by steps of 16 ms. It has
//! no `--pipe`, as its connections are made of sockets.

use std::io;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use ntex::http::HttpServiceConfig;
use ntex::time::Seconds;
use ntex::util::Bytes;
use ntex::web::types::{Json, Path, PayloadConfig, Query};
use ntex::web::{self, App, HttpServer};
use ntex::{SharedCfg, rt};
use serde::{Deserialize, Serialize};

const BODY_LIMIT: usize = 1024 * 1024;
const FIRST_REQUEST: Seconds = Seconds(10);
const KEEP_ALIVE: Seconds = Seconds(60);
const WAIT: Duration = Duration::from_millis(1);

fn main() -> ExitCode {
    let Some(Ok(port)) = std::env::args().nth(1).map(|port| port.parse()) else {
        eprintln!("usage: hand-ntex PORT");
        return ExitCode::FAILURE;
    };
    match listen(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("hand-ntex: port {port}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn listen(port: u16) -> io::Result<()> {
    let http = HttpServiceConfig::new()
        .set_client_timeout(FIRST_REQUEST)
        .set_keepalive(KEEP_ALIVE);
    rt::System::new("hand-ntex", rt::DefaultRuntime).block_on(async move {
        HttpServer::new(async || App::new().configure(routes))
            .config(SharedCfg::new("hand-ntex").add(http))
            .bind((Ipv4Addr::LOCALHOST, port))?
            .run()
            .await
    })
}

fn routes(app: &mut web::ServiceConfig) {
    app.state(PayloadConfig::new(BODY_LIMIT))
        .route("/", web::get().to(async || "ok"))
        .route("/ping", web::get().to(async || Json(Done { ok: true })))
        .route("/users/{id}", web::get().to(user))
        .route("/search", web::get().to(search))
        .route("/echo", web::post().to(async |body: Bytes| body))
        .route("/wait", web::get().to(wait))
        .route("/files/{size}", web::get().to(file));
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

async fn user(id: Path<u64>) -> Json<User> {
    Json(User {
        id: id.into_inner(),
        name: "ann",
    })
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

async fn search(search: Query<Search>) -> Json<Search> {
    Json(search.into_inner())
}

async fn wait() -> Json<Done> {
    tokio::time::sleep(WAIT).await;
    Json(Done { ok: true })
}

async fn file(size: Path<usize>) -> Option<&'static [u8]> {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..2_100_000).map(|at| (at % 251) as u8).collect());
    match size.into_inner() {
        size @ (9_700 | 2_100_000) => Some(&CONTENT[..size]),
        _ => None,
    }
}
