//! Every mistake is told at once.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GTE, "users/", name = 5, limit = 1)]
fn show(body: &[u8], head: &mut impl RequestHead) {}

fn main() {}
