//! A fragment in the pattern.

use polywire::prelude::*;

#[route(GET, "/a#b")]
async fn show() {}

fn main() {}
