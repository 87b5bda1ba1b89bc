//! Two exchanges.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(a: &mut impl Exchange, b: &mut impl Exchange) {}

fn main() {}
