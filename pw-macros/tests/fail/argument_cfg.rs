//! An argument under `cfg`.

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(#[cfg(test)] Query(_q): Query<()>) {}

fn main() {}
