//! Parameters as Express and Rails have them.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/users/:id")]
async fn show(head: &impl RequestHead) {}

fn main() {}
