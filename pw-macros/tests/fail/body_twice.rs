//! Two extractors of the body.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(body: &[u8], Json(_n): Json<u64>) {}

fn main() {}
