//! A parameter after other text.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/a{id}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
