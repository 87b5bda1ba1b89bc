//! A parameter before other text.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{id}.json")]
async fn show(head: &impl RequestHead) {}

fn main() {}
