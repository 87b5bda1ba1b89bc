//! Generic over a constant.

use polywire::prelude::*;

#[route(GET, "/")]
async fn show<const N: usize>() {}

fn main() {}
