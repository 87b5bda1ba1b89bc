//! `Path` where the pattern has no parameter.

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(Path(_id): Path<u64>) {}

fn main() {}
