//! Another calling convention.

use polywire::prelude::*;

#[route(GET, "/")]
async extern "C" fn show() {}

fn main() {}
