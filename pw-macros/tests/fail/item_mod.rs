//! A module.

use polywire::prelude::*;

#[route(GET, "/")]
pub mod show {}

fn main() {}
