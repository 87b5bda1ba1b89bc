//! A query that can't be deserialised.

use polywire::prelude::*;

#[path = "../generated/not_from_query.rs"]
mod generated;

struct Search;

#[route(GET, "/")]
async fn search(Query(_search): Query<Search>) {}

fn main() {}
