//! A name that is a number.

use polywire::prelude::*;

#[route(GET, "/", name = 5)]
async fn show() {}

fn main() {}
