//! The exchange by its parameter, by value.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(POST, "/")]
async fn show<E: Exchange>(cx: E) {}

fn main() {}
