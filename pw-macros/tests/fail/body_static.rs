//! A body that would outlive the request.

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(_body: &'static [u8]) {}

fn main() {}
