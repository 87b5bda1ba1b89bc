//! A unit that could mean two things.

use polywire::prelude::*;

#[route(POST, "/", body_limit = "64 kb")]
async fn show() {}

fn main() {}
