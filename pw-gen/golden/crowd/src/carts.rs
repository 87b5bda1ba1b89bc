//! The routes of carts.

use polywire::prelude::*;

#[route(GET, "/carts", name = "carts.list")]
pub(crate) async fn list() -> String {
    "carts".to_owned()
}

#[route(POST, "/carts", name = "carts.create")]
pub(crate) async fn create(body: String) -> String {
    format!("new cart: {body}")
}

#[route(GET, "/carts/{id}", name = "carts.show")]
pub(crate) async fn show(Path(id): Path<u64>) -> String {
    format!("cart {id}")
}

#[route(PUT, "/carts/{id}", name = "carts.replace")]
pub(crate) async fn replace(Path(id): Path<u64>, body: String) -> String {
    format!("cart {id} is {body}")
}

#[route(DELETE, "/carts/{id}", name = "carts.delete")]
pub(crate) async fn delete(Path(id): Path<u64>) -> String {
    format!("no cart {id}")
}

#[route(GET, "/carts/{id}/tags", name = "carts.tags")]
pub(crate) async fn tags(Path(id): Path<u64>) -> String {
    format!("tags of cart {id}")
}

#[route(GET, "/carts/{id}/tags/{at}", name = "carts.tags_at")]
pub(crate) async fn tags_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("tags of cart {id} at {at}")
}

#[route(GET, "/carts/{id}/notes", name = "carts.notes")]
pub(crate) async fn notes(Path(id): Path<u64>) -> String {
    format!("notes of cart {id}")
}

#[route(GET, "/carts/{id}/notes/{at}", name = "carts.notes_at")]
pub(crate) async fn notes_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("notes of cart {id} at {at}")
}

#[route(GET, "/carts/{id}/links", name = "carts.links")]
pub(crate) async fn links(Path(id): Path<u64>) -> String {
    format!("links of cart {id}")
}

#[route(GET, "/carts/{id}/links/{at}", name = "carts.links_at")]
pub(crate) async fn links_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("links of cart {id} at {at}")
}
