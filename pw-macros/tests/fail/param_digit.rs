//! A name that begins with a digit.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{1d}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
