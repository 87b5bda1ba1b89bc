//! One value for two parameters.

use polywire::prelude::*;

#[route(GET, "/users/{id}/{slug}")]
async fn show(Path(_id): Path<u64>) {}

fn main() {}
