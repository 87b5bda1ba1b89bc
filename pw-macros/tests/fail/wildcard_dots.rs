//! A wildcard as Go has it.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/files/{path...}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
