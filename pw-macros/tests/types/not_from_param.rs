//! An element of a tuple that no parameter can become.

use polywire::prelude::*;

#[path = "../generated/not_from_param.rs"]
mod generated;

struct Slug;

#[route(GET, "/{id}/{slug}")]
async fn show(Path((_id, _slug)): Path<(u64, Slug)>) {}

fn main() {}
