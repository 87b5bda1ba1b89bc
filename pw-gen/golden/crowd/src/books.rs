//! The routes of books.

use polywire::prelude::*;

#[route(GET, "/books", name = "books.list")]
pub(crate) async fn list() -> String {
    "books".to_owned()
}

#[route(POST, "/books", name = "books.create")]
pub(crate) async fn create(body: String) -> String {
    format!("new book: {body}")
}

#[route(GET, "/books/{id}", name = "books.show")]
pub(crate) async fn show(Path(id): Path<u64>) -> String {
    format!("book {id}")
}

#[route(PUT, "/books/{id}", name = "books.replace")]
pub(crate) async fn replace(Path(id): Path<u64>, body: String) -> String {
    format!("book {id} is {body}")
}

#[route(DELETE, "/books/{id}", name = "books.delete")]
pub(crate) async fn delete(Path(id): Path<u64>) -> String {
    format!("no book {id}")
}

#[route(GET, "/books/{id}/tags", name = "books.tags")]
pub(crate) async fn tags(Path(id): Path<u64>) -> String {
    format!("tags of book {id}")
}

#[route(GET, "/books/{id}/tags/{at}", name = "books.tags_at")]
pub(crate) async fn tags_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("tags of book {id} at {at}")
}

#[route(GET, "/books/{id}/notes", name = "books.notes")]
pub(crate) async fn notes(Path(id): Path<u64>) -> String {
    format!("notes of book {id}")
}

#[route(GET, "/books/{id}/notes/{at}", name = "books.notes_at")]
pub(crate) async fn notes_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("notes of book {id} at {at}")
}

#[route(GET, "/books/{id}/links", name = "books.links")]
pub(crate) async fn links(Path(id): Path<u64>) -> String {
    format!("links of book {id}")
}

#[route(GET, "/books/{id}/links/{at}", name = "books.links_at")]
pub(crate) async fn links_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("links of book {id} at {at}")
}
