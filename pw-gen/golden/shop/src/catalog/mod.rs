//! A module in `mod.rs`, with wildcards, literals beside parameters, and methods of its own.

use polywire::prelude::*;

pub(crate) mod items;

#[route(GET, "/catalog/{*path}")]
pub(crate) async fn browse(Path(path): Path<&str>) -> String {
    format!("browse {path}")
}

#[route("PURGE", "/catalog/{*path}")]
pub(crate) async fn purge(Path(path): Path<String>) -> String {
    format!("purge {path}")
}
