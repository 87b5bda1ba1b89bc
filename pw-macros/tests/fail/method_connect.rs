//! A method for proxies.

use polywire::prelude::*;

#[route(CONNECT, "/")]
async fn show() {}

fn main() {}
