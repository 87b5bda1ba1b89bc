//! A byte string as the pattern.

use polywire::prelude::*;

#[route(GET, b"/a")]
async fn show() {}

fn main() {}
