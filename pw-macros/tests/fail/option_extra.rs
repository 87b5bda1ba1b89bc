//! Something after an option.

use polywire::prelude::*;

#[route(GET, "/", name = "a" "b")]
async fn show() {}

fn main() {}
