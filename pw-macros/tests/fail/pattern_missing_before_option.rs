//! An option in the place of the pattern.

use polywire::prelude::*;

#[route(GET, name = "a")]
async fn show() {}

fn main() {}
