//! A space.

use polywire::prelude::*;

#[route(GET, "/a b")]
async fn show() {}

fn main() {}
