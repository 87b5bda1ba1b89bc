//! Names in another order than the pattern.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/users/{id}/{slug}")]
async fn show(Path((slug, id)): Path<(u64, u64)>) {}

fn main() {}
