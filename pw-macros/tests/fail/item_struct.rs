//! No function.

use polywire::prelude::*;

#[route(GET, "/")]
struct Show;

fn main() {}
