//! A type in the pattern.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{id:u64}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
