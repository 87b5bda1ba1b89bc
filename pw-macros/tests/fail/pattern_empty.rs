//! An empty pattern.

use polywire::prelude::*;

#[route(GET, "")]
async fn show() {}

fn main() {}
