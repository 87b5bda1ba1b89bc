//! A text without a unit.

use polywire::prelude::*;

#[route(POST, "/", body_limit = "64")]
async fn show() {}

fn main() {}
