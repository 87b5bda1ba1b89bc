//! Generic over an exchange that is not an argument.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show<E: Exchange>(head: &E::Head) {}

fn main() {}
