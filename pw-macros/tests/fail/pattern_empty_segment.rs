//! Two slashes.

use polywire::prelude::*;

#[route(GET, "/a//b")]
async fn show() {}

fn main() {}
