//! An option without a value.

use polywire::prelude::*;

#[route(GET, "/", name)]
async fn show() {}

fn main() {}
