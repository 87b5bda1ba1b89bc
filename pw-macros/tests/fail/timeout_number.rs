//! A duration without a unit.

use polywire::prelude::*;

#[route(GET, "/", timeout = 5)]
async fn show() {}

fn main() {}
