//! A parameter without `Path`, of a type that a body has.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/hello/{name}")]
async fn hello(name: String) {}

fn main() {}
