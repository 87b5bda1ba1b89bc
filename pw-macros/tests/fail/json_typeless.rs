//! `Json` without its type.

use polywire::prelude::*;

#[route(POST, "/")]
async fn show(order: Json) {}

fn main() {}
