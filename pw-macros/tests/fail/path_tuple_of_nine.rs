//! A tuple of more than eight.

use polywire::prelude::*;

#[route(GET, "/{p0}/{p1}/{p2}/{p3}/{p4}/{p5}/{p6}/{p7}/{p8}")]
async fn show(_: Path<(u8, u8, u8, u8, u8, u8, u8, u8, u8)>) {}

fn main() {}
