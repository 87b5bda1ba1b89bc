//! A unit that is written out.

use polywire::prelude::*;

#[route(GET, "/", timeout = "5 minutes")]
async fn show() {}

fn main() {}
