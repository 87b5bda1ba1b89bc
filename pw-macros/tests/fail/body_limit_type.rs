//! A size that is a boolean.

use polywire::prelude::*;

#[route(POST, "/", body_limit = true)]
async fn show() {}

fn main() {}
