//! Nothing taken from the path.

use polywire::prelude::*;

#[route(GET, "/users/{id}")]
async fn show(_: Path<()>) {}

fn main() {}
