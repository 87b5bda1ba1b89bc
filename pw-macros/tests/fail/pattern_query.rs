//! A query in the pattern.

use polywire::prelude::*;

#[route(GET, "/search?q={q}")]
async fn show() {}

fn main() {}
