//! Two parameters that nobody reads.

use polywire::prelude::*;

#[route(GET, "/users/{id}/{slug}")]
async fn show(State(_app): State<'_, ()>) {}

fn main() {}
