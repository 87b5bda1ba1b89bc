//! A type that is not made from the head.

use polywire::prelude::*;

#[path = "../generated/not_from_head.rs"]
mod generated;

struct Session;

#[route(GET, "/")]
async fn show(_session: Session, Query(_q): Query<()>) {}

fn main() {}
