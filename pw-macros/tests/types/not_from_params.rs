//! A `Path` of a type that no parameter can become.

use polywire::prelude::*;

#[path = "../generated/not_from_params.rs"]
mod generated;

struct Id;

#[route(GET, "/{id}")]
async fn show(Path(_id): Path<Id>) {}

fn main() {}
