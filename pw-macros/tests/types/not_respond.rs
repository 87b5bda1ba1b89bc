//! An answer that is none.

use polywire::prelude::*;

#[path = "../generated/not_respond.rs"]
mod generated;

struct User;

#[route(GET, "/")]
async fn show() -> User {
    User
}

fn main() {}
