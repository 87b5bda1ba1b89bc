//! The target of `OPTIONS *`.

use polywire::prelude::*;

#[route(OPTIONS, "*")]
async fn show() {}

fn main() {}
