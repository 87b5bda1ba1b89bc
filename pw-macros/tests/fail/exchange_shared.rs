//! The exchange, not mutable.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(cx: &impl Exchange) {}

fn main() {}
