//! The routes of orders.

use polywire::prelude::*;

#[route(GET, "/orders", name = "orders.list")]
pub(crate) async fn list() -> String {
    "orders".to_owned()
}

#[route(POST, "/orders", name = "orders.create")]
pub(crate) async fn create(body: String) -> String {
    format!("new order: {body}")
}

#[route(GET, "/orders/{id}", name = "orders.show")]
pub(crate) async fn show(Path(id): Path<u64>) -> String {
    format!("order {id}")
}

#[route(PUT, "/orders/{id}", name = "orders.replace")]
pub(crate) async fn replace(Path(id): Path<u64>, body: String) -> String {
    format!("order {id} is {body}")
}

#[route(DELETE, "/orders/{id}", name = "orders.delete")]
pub(crate) async fn delete(Path(id): Path<u64>) -> String {
    format!("no order {id}")
}

#[route(GET, "/orders/{id}/tags", name = "orders.tags")]
pub(crate) async fn tags(Path(id): Path<u64>) -> String {
    format!("tags of order {id}")
}

#[route(GET, "/orders/{id}/tags/{at}", name = "orders.tags_at")]
pub(crate) async fn tags_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("tags of order {id} at {at}")
}

#[route(GET, "/orders/{id}/notes", name = "orders.notes")]
pub(crate) async fn notes(Path(id): Path<u64>) -> String {
    format!("notes of order {id}")
}

#[route(GET, "/orders/{id}/notes/{at}", name = "orders.notes_at")]
pub(crate) async fn notes_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("notes of order {id} at {at}")
}

#[route(GET, "/orders/{id}/links", name = "orders.links")]
pub(crate) async fn links(Path(id): Path<u64>) -> String {
    format!("links of order {id}")
}

#[route(GET, "/orders/{id}/links/{at}", name = "orders.links_at")]
pub(crate) async fn links_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("links of order {id} at {at}")
}
