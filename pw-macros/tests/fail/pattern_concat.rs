//! An expression in the place of the pattern.

use polywire::prelude::*;

#[route(GET, concat!("/a", "/b"))]
async fn show() {}

fn main() {}
