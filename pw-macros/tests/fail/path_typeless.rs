//! `Path` without its type.

use polywire::prelude::*;

#[route(GET, "/users/{id}")]
async fn show(path: Path) {}

fn main() {}
