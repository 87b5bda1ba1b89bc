//! A last argument that is made from nothing.

use polywire::prelude::*;

#[path = "../generated/not_from_last.rs"]
mod generated;

struct Session;

#[route(GET, "/")]
async fn show(_session: Session) {}

fn main() {}
