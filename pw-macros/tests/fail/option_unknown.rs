//! A slip in an option.

use polywire::prelude::*;

#[route(GET, "/", body_limits = 1)]
async fn show() {}

fn main() {}
