//! A word that is like no method.

use polywire::prelude::*;

#[route(FOO, "/")]
async fn show() {}

fn main() {}
