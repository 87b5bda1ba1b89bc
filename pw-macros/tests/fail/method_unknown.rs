//! A slip in a method.

use polywire::prelude::*;

#[route(GTE, "/")]
async fn show() {}

fn main() {}
