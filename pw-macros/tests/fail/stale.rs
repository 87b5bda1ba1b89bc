//! A route that was never generated, or has changed since.

use polywire::prelude::*;

mod generated {
    pub static FINGERPRINTS: [u64; 0] = [];
}

#[route(GET, "/users/{id}")]
async fn show_user(Path(_id): Path<u64>) {}

fn main() {}
