//! The probe's routes on actix-web, as its documentation has them: `hand-actix PORT`.
//!
//! One worker per core, which is its default. Where it would otherwise wait less long than Polywire for a client that says
//! nothing, it is told to wait as long: its own 5 s are over before 10,000 idle connections are measured. It has no
//! `--pipe`, as its connections are made of sockets.

use std::io;
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::LazyLock;
use std::time::Duration;

use actix_web::web::{self, Bytes, Json, Path, PayloadConfig, Query};
use actix_web::{App, HttpServer, rt};
use serde::{Deserialize, Serialize};

const BODY_LIMIT: usize = 1024 * 1024;
const FIRST_REQUEST: Duration = Duration::from_secs(10);
const KEEP_ALIVE: Duration = Duration::from_secs(60);
const WAIT: Duration = Duration::from_millis(1);

fn main() -> ExitCode {
    let Some(Ok(port)) = std::env::args().nth(1).map(|port| port.parse()) else {
        eprintln!("usage: hand-actix PORT");
        return ExitCode::FAILURE;
    };
    match listen(port) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("hand-actix: port {port}: {why}");
            ExitCode::FAILURE
        }
    }
}

fn listen(port: u16) -> io::Result<()> {
    rt::System::new().block_on(async {
        HttpServer::new(|| App::new().configure(routes))
            .client_request_timeout(FIRST_REQUEST)
            .keep_alive(KEEP_ALIVE)
            .tcp_nodelay(true)
            .bind((Ipv4Addr::LOCALHOST, port))?
            .run()
            .await
    })
}

fn routes(app: &mut web::ServiceConfig) {
    app.app_data(PayloadConfig::new(BODY_LIMIT))
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

async fn search(Query(search): Query<Search>) -> Json<Search> {
    Json(search)
}

async fn wait() -> Json<Done> {
    rt::time::sleep(WAIT).await;
    Json(Done { ok: true })
}

async fn file(size: Path<usize>) -> Option<Bytes> {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..2_100_000).map(|at| (at % 251) as u8).collect());
    match size.into_inner() {
        size @ (9_700 | 2_100_000) => Some(Bytes::from_static(&CONTENT[..size])),
        _ => None,
    }
}
