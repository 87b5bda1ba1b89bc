//! More parameters than there is room for.

#![allow(unused_variables)]

use polywire::prelude::*;

#[route(GET, "/{p0}/{p1}/{p2}/{p3}/{p4}/{p5}/{p6}/{p7}/{p8}/{p9}/{p10}/{p11}/{p12}/{p13}/{p14}/{p15}/{p16}")]
async fn show(head: &impl RequestHead) {}

fn main() {}
