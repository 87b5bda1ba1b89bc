//! A brace that nothing opens.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/id}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
