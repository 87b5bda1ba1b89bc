//! A parameter without `Path`.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/users/{id}")]
async fn show(id: u64) {}

fn main() {}
