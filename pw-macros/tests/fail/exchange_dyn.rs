//! The exchange as an object.

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(cx: &mut dyn Exchange) {}

fn main() {}
