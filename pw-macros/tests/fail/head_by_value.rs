//! The head by value.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(head: impl RequestHead) {}

fn main() {}
