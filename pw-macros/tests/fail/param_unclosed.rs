//! A brace that nothing closes.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{id")]
async fn show(head: &impl RequestHead) {}

fn main() {}
