//! A number in the place of the method.

use polywire::prelude::*;

#[route(200, "/")]
async fn show() {}

fn main() {}
