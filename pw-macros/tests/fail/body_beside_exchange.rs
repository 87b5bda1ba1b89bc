//! The body beside the exchange.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(cx: &mut impl Exchange, body: &[u8]) {}

fn main() {}
