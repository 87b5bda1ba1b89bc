//! A wildcard without a name.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{*}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
