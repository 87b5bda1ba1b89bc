//! A method that leaks.

use polywire::prelude::*;

#[route(TRACE, "/")]
async fn show() {}

fn main() {}
