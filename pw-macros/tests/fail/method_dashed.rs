//! A method with a dash as a bare word.

use polywire::prelude::*;

#[route(VERSION-CONTROL, "/")]
async fn show() {}

fn main() {}
