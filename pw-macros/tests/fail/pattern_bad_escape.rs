//! A percent sign alone.

use polywire::prelude::*;

#[route(GET, "/100%")]
async fn show() {}

fn main() {}
