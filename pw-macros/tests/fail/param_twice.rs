//! The same parameter twice.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{id}/{id}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
