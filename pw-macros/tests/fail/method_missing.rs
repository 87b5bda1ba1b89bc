//! A pattern without its method.

use polywire::prelude::*;

#[route("/users")]
async fn show() {}

fn main() {}
