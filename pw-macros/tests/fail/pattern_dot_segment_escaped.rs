//! A dot segment in disguise.

use polywire::prelude::*;

#[route(GET, "/a/%2E")]
async fn show() {}

fn main() {}
