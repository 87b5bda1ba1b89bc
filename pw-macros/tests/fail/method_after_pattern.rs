//! Method and pattern, the wrong way round.

use polywire::prelude::*;

#[route("/users", GET)]
async fn show() {}

fn main() {}
