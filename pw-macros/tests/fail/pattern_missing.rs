//! A method without a pattern.

use polywire::prelude::*;

#[route(GET)]
async fn show() {}

fn main() {}
