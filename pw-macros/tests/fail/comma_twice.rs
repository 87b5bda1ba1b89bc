//! A comma too many.

use polywire::prelude::*;

#[route(GET,, "/")]
async fn show() {}

fn main() {}
