//! No function, after a word that could begin one.

use polywire::prelude::*;

#[route(GET, "/")]
pub const SHOW: u8 = 1;

fn main() {}
