//! More than there is memory.

use polywire::prelude::*;

#[route(POST, "/", body_limit = 99999999999999999999)]
async fn show() {}

fn main() {}
