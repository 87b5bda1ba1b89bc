//! A struct with other names than the pattern.

use polywire::prelude::*;

#[path = "../generated/params_other_names.rs"]
mod generated;

#[derive(PathParams)]
struct UserPath<'a> {
    id: u64,
    name: &'a str,
}

#[route(GET, "/{id}/{slug}")]
async fn show(Path(_path): Path<UserPath<'_>>) {}

fn main() {}
