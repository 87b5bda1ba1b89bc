//! No slash at the start.

use polywire::prelude::*;

#[route(GET, "users")]
async fn show() {}

fn main() {}
