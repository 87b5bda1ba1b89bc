//! A URL.

use polywire::prelude::*;

#[route(GET, "https://a.example/users")]
async fn show() {}

fn main() {}
