//! The fixed application that tests, fuzzers and benchmarks talk to. What it answers does not change.
//!
//! `main.rs` serves it; the routes stand in a library so that `examples/pipe` and the tests can hold it in their own
//! process.

mod clock;
mod download;

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};
use std::time::Duration;

use askama::Template;
use bytes::Bytes;
use polywire::files::{FileAnswer, Files};
use polywire::prelude::*;
use polywire::streams::Events;
use polywire::ws::WebSocket;
use serde::{Deserialize, Serialize};

polywire::generated!();

#[derive(Serialize)]
struct Ping {
    ok: bool,
}

/// A user, of whom there is any number.
#[derive(Serialize)]
pub struct User {
    id: u64,
    name: &'static str,
}

#[derive(Deserialize, Serialize)]
struct NewUser<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    email: Cow<'a, str>,
    age: u32,
}

#[derive(Deserialize, Serialize)]
struct Search<'a> {
    #[serde(default)]
    q: &'a str,
    #[serde(default = "first")]
    page: u32,
}

fn first() -> u32 {
    1
}

#[route(GET, "/")]
async fn index() -> &'static str {
    "ok"
}

#[route(GET, "/ping")]
async fn ping() -> Json<Ping> {
    Json(Ping { ok: true })
}

/// Public, as `examples/pipe` puts chains of its own around it.
#[route(GET, "/users/{id}")]
pub async fn show_user(Path(id): Path<u64>) -> Json<User> {
    Json(User { id, name: "ann" })
}

/// The user as it was understood.
#[route(POST, "/users")]
async fn create_user(Json(user): Json<NewUser<'_>>) -> Json<NewUser<'_>> {
    Json(user)
}

/// The query as it was understood.
#[route(GET, "/search")]
async fn search(Query(search): Query<Search<'_>>) -> Json<Search<'_>> {
    Json(search)
}

/// How many rows the page `/rows` has.
pub const ROWS: u32 = 50;

#[derive(Template)]
#[template(
    ext = "html",
    source = "<!DOCTYPE html>\n<title>{{ title }}</title>\n<table>\n\
              {% for id in 1..=count %}<tr><td>{{ id }}</td><td>{{ name }}</td><td>{{ note }}</td></tr>\n{% endfor %}\
              </table>\n"
)]
struct Rows {
    title: &'static str,
    count: u32,
    name: &'static str,
    note: &'static str,
}

/// A table, rendered anew, with text in each row that must be escaped.
#[route(GET, "/rows")]
async fn rows() -> Result<Html<String>, askama::Error> {
    let page = Rows {
        title: "Rows",
        count: ROWS,
        name: "ann",
        note: "likes <b> & \"quotes\"",
    };
    page.render().map(Html)
}

/// The same bytes.
#[route(POST, "/echo", body_limit = "1 MiB")]
async fn echo(body: &[u8]) -> &[u8] {
    body
}

/// How long `/wait` does.
pub const WAIT: Duration = Duration::from_millis(1);

/// After a moment, as when something else had to be asked.
#[route(GET, "/wait")]
async fn wait() -> Json<Ping> {
    tokio::time::sleep(WAIT).await;
    Json(Ping { ok: true })
}

/// The size of what `/large` answers, in bytes.
pub const LARGE: usize = 10 << 20;

/// 10 MiB, held once for all clients.
#[route(GET, "/large")]
async fn large() -> Bytes {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| content(LARGE));
    Bytes::from_static(CONTENT.as_slice())
}

/// The sizes of what there is under `/files`, in bytes: of a page, and of a picture.
pub const FILES: [usize; 2] = [9_700, 2_100_000];

/// As many bytes as its name says, held once for all clients.
#[route(GET, "/files/{size}")]
async fn file(Path(size): Path<usize>) -> Option<Bytes> {
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| content(FILES[1]));
    FILES.contains(&size).then(|| Bytes::from_static(&CONTENT[..size]))
}

/// Not in the binary, and of bytes that tell when a part is missing: 251 is prime.
fn content(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at % 251) as u8).collect()
}

#[derive(Serialize)]
struct Uploaded {
    bytes: u64,
}

/// Takes a body of any length piece by piece, keeps none of it, and says how long it was.
#[route(POST, "/upload", body_limit = "1024 GiB")]
async fn upload(cx: &mut impl Exchange) -> Result<Json<Uploaded>, Problem> {
    let mut bytes = 0;
    while let Some(piece) = cx.body().chunk().await? {
        bytes += piece.len() as u64;
    }
    Ok(Json(Uploaded { bytes }))
}

/// As many bytes as asked for, made as they leave.
#[route(GET, "/download/{bytes}")]
async fn download(Path(bytes): Path<u64>) -> ContentStream {
    ContentStream::new(download::Download::of(bytes))
}

/// An event a second, the same for all who listen: how many seconds it has been since the first began to.
#[route(GET, "/events")]
async fn events() -> impl Respond {
    Events::new(clock::listen())
}

/// What `/static` serves, if anything.
pub static FOLDER: OnceLock<Files> = OnceLock::new();

/// A file of the folder that was named at the start.
#[route(GET, "/static/{*path}")]
async fn asset(head: &impl RequestHead, Path(path): Path<&str>) -> Result<FileAnswer, Problem> {
    FOLDER.get().ok_or_else(Problem::not_found)?.find(head, path)
}

/// Every message, sent back.
#[route(GET, "/ws")]
async fn ws(head: &impl RequestHead, cx: &mut impl Upgrade) -> Result<(), Problem> {
    WebSocket::options().accept(head, cx, async |mut socket: WebSocket| {
        while let Some(message) = socket.receive().await? {
            socket.send(&message).await?;
        }
        Ok(())
    })
}
