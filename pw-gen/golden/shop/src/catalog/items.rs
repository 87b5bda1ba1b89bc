//! A module in `name.rs` below one in `mod.rs`.

use polywire::prelude::*;

#[route(GET, "/catalog/items/new", name = "items.form")]
pub(crate) async fn form() -> &'static str {
    "form"
}

#[route(GET, "/catalog/items/{id}", name = "items.show", timeout = "5s")]
pub(crate) async fn show(Path(id): Path<u64>) -> String {
    format!("item {id}")
}

#[route(GET, "/catalog/items/{id}/", name = "items.slash")]
pub(crate) async fn slash(Path(id): Path<u64>) -> String {
    format!("item {id} with a slash")
}

#[route(PUT, "/catalog/items/{id}", name = "items.put", body_limit = "8 B", timeout = "2m")]
pub(crate) async fn put(Path(id): Path<u64>, body: &str) -> String {
    format!("item {id}: {body}")
}

/// Never in time.
#[route(POST, "/catalog/items/{id}/wait", name = "items.wait", timeout = "20ms")]
pub(crate) async fn wait(Path(_id): Path<u64>, body: String) -> String {
    std::future::pending::<()>().await;
    body
}
