//! The fixed application that tests, fuzzers and benchmarks talk to. What it answers does not change.
//!
//! `main.rs` serves it; the routes stand in a library so that `examples/pipe` and the tests can hold it in their own
//! process.

use polywire::prelude::*;
use serde::{Deserialize, Serialize};

polywire::generated!();

#[derive(Serialize)]
struct Ping {
    ok: bool,
}

#[derive(Serialize)]
struct User {
    id: u64,
    name: &'static str,
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

#[route(GET, "/users/{id}")]
async fn show_user(Path(id): Path<u64>) -> Json<User> {
    Json(User { id, name: "ann" })
}

/// The query as it was understood.
#[route(GET, "/search")]
async fn search(Query(search): Query<Search<'_>>) -> Json<Search<'_>> {
    Json(search)
}

/// The same bytes.
#[route(POST, "/echo", body_limit = "1 MiB")]
async fn echo(body: &[u8]) -> &[u8] {
    body
}
