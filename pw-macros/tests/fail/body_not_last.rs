//! The body before something else.

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(Json(_n): Json<u64>, Query(_q): Query<()>) {}

fn main() {}
