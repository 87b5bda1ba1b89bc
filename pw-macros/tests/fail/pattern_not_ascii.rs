//! A character that paths have only encoded.

use polywire::prelude::*;

#[route(GET, "/café")]
async fn show() {}

fn main() {}
