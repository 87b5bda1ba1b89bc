//! A product.

use polywire::prelude::*;

#[route(POST, "/", body_limit = 64 * 1024)]
async fn show() {}

fn main() {}
