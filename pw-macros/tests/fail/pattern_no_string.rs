//! A constant in the place of the pattern.

use polywire::prelude::*;

#[route(GET, PATH)]
async fn show() {}

fn main() {}
