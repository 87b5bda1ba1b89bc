//! No time at all.

use polywire::prelude::*;

#[route(GET, "/", timeout = "0s")]
async fn show() {}

fn main() {}
