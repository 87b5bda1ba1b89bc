//! An option in parentheses.

use polywire::prelude::*;

#[route(GET, "/", name("a"))]
async fn show() {}

fn main() {}
