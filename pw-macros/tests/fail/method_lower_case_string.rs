//! A method in lower case, as a string.

use polywire::prelude::*;

#[route("post", "/")]
async fn show() {}

fn main() {}
