//! A method in lower case.

use polywire::prelude::*;

#[route(get, "/")]
async fn show() {}

fn main() {}
