//! A fragment: its routes are composed by an application, which has the chain and the state.

use polywire::prelude::*;

polywire::generated! { fragment }

pub mod users;

/// What the application's state must have for this crate: how many accounts there may be.
#[derive(Debug)]
pub struct Limit(pub usize);

/// The limit.
#[route(GET, "/accounts", name = "accounts.limit")]
pub async fn limit(State(limit): State<'_, Limit>) -> String {
    limit.0.to_string()
}

/// Only where the target says so: that is the same in every crate.
#[cfg(unix)]
#[route(GET, "/accounts/unix", name = "accounts.unix")]
pub async fn unix() -> &'static str {
    "unix"
}
