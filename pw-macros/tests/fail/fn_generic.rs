//! Generic over a type.

use polywire::prelude::*;

#[route(GET, "/")]
async fn show<T: Default>(Query(_q): Query<T>) {}

fn main() {}
