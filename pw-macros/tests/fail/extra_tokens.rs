//! A second pattern.

use polywire::prelude::*;

#[route(GET, "/", "/other")]
async fn show() {}

fn main() {}
