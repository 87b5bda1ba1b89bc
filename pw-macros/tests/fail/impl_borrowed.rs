//! A borrowed `impl` that is nothing we know.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(name: &impl Clone) {}

fn main() {}
