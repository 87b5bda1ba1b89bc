//! A part of the exchange.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(POST, "/")]
async fn show<E: Exchange>(body: &mut E::Body) {}

fn main() {}
