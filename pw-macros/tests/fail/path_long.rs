//! A tuple that is too long.

use polywire::prelude::*;

#[route(GET, "/users/{id}")]
async fn show(Path((_id, _slug)): Path<(u64, String)>) {}

fn main() {}
