//! A struct with another name than the pattern.

use polywire::prelude::*;

#[path = "../generated/params_other_name.rs"]
mod generated;

#[derive(PathParams)]
struct UserPath {
    id: u64,
}

#[route(GET, "/{user}")]
async fn show(Path(_path): Path<UserPath>) {}

fn main() {}
