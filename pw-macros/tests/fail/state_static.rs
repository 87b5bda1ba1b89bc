//! State that would outlive the request.

use polywire::prelude::*;

#[route(GET, "/")]
async fn show(State(_app): State<'static, ()>) {}

fn main() {}
