//! The fixed application that tests, fuzzers and benchmarks talk to. What it answers does not change.
//!
//! `main.rs` serves it; the routes stand in a library so that `examples/pipe` and the tests can hold it in their own
//! process.

use std::sync::LazyLock;

use bytes::Bytes;
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

/// The size of what `/large` answers, in bytes.
pub const LARGE: usize = 10 << 20;

/// 10 MiB, held once for all clients.
#[route(GET, "/large")]
async fn large() -> Bytes {
    // Not in the binary, and of bytes that tell when a part is missing: 251 is prime.
    static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| (0..LARGE).map(|at| (at % 251) as u8).collect());
    Bytes::from_static(CONTENT.as_slice())
}
