//! An option that does not exist.

use polywire::prelude::*;

#[route(GET, "/", auth = "admin")]
async fn show() {}

fn main() {}
