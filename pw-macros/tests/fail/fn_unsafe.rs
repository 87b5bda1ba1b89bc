//! An `unsafe` handler.

use polywire::prelude::*;

#[route(GET, "/")]
async unsafe fn show() {}

fn main() {}
