//! An answer that can't be serialised.

use polywire::prelude::*;

#[path = "../generated/not_serialize.rs"]
mod generated;

struct User;

#[route(GET, "/")]
async fn show() -> Json<User> {
    Json(User)
}

fn main() {}
