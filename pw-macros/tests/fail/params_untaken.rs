//! A parameter that nobody reads.

use polywire::prelude::*;

#[route(GET, "/users/{id}")]
async fn show() {}

fn main() {}
