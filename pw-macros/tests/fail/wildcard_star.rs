//! A wildcard as Express and Gin have it.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/files/*path")]
async fn show(head: &impl RequestHead) {}

fn main() {}
