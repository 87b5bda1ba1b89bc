//! A text that is no duration.

use polywire::prelude::*;

#[route(GET, "/", timeout = "soon")]
async fn show() {}

fn main() {}
