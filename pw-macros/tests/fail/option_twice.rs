//! An option twice.

use polywire::prelude::*;

#[route(GET, "/", name = "a", name = "b")]
async fn show() {}

fn main() {}
