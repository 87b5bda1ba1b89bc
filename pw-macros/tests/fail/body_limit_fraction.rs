//! A fraction.

use polywire::prelude::*;

#[route(POST, "/", body_limit = "1.5 MiB")]
async fn show() {}

fn main() {}
