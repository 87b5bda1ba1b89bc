//! Something after the wildcard.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{*rest}/a")]
async fn show(head: &impl RequestHead) {}

fn main() {}
