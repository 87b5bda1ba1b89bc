//! A parameter that would outlive the request.

use polywire::prelude::*;

#[route(GET, "/{id}")]
async fn show(Path(_id): Path<&'static str>) {}

fn main() {}
