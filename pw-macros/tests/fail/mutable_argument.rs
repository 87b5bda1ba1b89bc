//! State, mutable.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(count: &mut u64) {}

fn main() {}
