//! The head, mutable.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(head: &mut impl RequestHead) {}

fn main() {}
