//! A string that is no token.

use polywire::prelude::*;

#[route("TWO WORDS", "/")]
async fn show() {}

fn main() {}
