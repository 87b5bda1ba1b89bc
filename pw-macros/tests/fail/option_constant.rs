//! An option that is no literal.

use polywire::prelude::*;

#[route(GET, "/", timeout = SLOW)]
async fn show() {}

fn main() {}
