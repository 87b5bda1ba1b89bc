//! Generic over the head by a name.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/")]
async fn show<H: RequestHead>(head: &H) {}

fn main() {}
