//! An `impl` that is nothing we know.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(name: impl Into<String>) {}

fn main() {}
