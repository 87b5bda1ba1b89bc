//! A module of a fragment: public, and so is its handler.

use polywire::prelude::*;

/// One user.
#[route(GET, "/accounts/{id}", name = "accounts.show")]
pub async fn show(Path(id): Path<u64>) -> String {
    format!("account {id}")
}
