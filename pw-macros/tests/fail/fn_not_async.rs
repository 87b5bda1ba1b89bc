//! No `async`.

use polywire::prelude::*;

#[route(GET, "/")]
fn show() {}

fn main() {}
