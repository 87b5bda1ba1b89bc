//! An answer that is none, in a `Result`.

use polywire::prelude::*;

#[path = "../generated/not_respond_in_result.rs"]
mod generated;

struct User;

#[route(GET, "/")]
async fn show() -> Result<User, Problem> {
    Ok(User)
}

fn main() {}
