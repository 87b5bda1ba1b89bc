//! A `const` handler.

use polywire::prelude::*;

#[route(GET, "/")]
const fn show() {}

fn main() {}
