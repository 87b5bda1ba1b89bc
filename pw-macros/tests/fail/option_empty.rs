//! An option with nothing after `=`.

use polywire::prelude::*;

#[route(GET, "/", timeout =)]
async fn show() {}

fn main() {}
