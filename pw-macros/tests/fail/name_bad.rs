//! A name with a space.

use polywire::prelude::*;

#[route(GET, "/", name = "show user")]
async fn show() {}

fn main() {}
