//! An `impl` within a type.

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(Query(_q): Query<impl Clone>) {}

fn main() {}
