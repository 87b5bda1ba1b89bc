//! Two `Path`s.

use polywire::prelude::*;

#[route(GET, "/users/{id}/{slug}")]
async fn show(Path(_id): Path<u64>, Path(_slug): Path<String>) {}

fn main() {}
