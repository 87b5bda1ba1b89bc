//! Generic over the exchange and more.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show<E: Exchange, T>(cx: &mut E) {}

fn main() {}
