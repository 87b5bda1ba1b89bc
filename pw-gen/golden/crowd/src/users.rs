//! The routes of users.

use polywire::prelude::*;

#[route(GET, "/users", name = "users.list")]
pub(crate) async fn list() -> String {
    "users".to_owned()
}

#[route(POST, "/users", name = "users.create")]
pub(crate) async fn create(body: String) -> String {
    format!("new user: {body}")
}

#[route(GET, "/users/{id}", name = "users.show")]
pub(crate) async fn show(Path(id): Path<u64>) -> String {
    format!("user {id}")
}

#[route(PUT, "/users/{id}", name = "users.replace")]
pub(crate) async fn replace(Path(id): Path<u64>, body: String) -> String {
    format!("user {id} is {body}")
}

#[route(DELETE, "/users/{id}", name = "users.delete")]
pub(crate) async fn delete(Path(id): Path<u64>) -> String {
    format!("no user {id}")
}

#[route(GET, "/users/{id}/tags", name = "users.tags")]
pub(crate) async fn tags(Path(id): Path<u64>) -> String {
    format!("tags of user {id}")
}

#[route(GET, "/users/{id}/tags/{at}", name = "users.tags_at")]
pub(crate) async fn tags_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("tags of user {id} at {at}")
}

#[route(GET, "/users/{id}/notes", name = "users.notes")]
pub(crate) async fn notes(Path(id): Path<u64>) -> String {
    format!("notes of user {id}")
}

#[route(GET, "/users/{id}/notes/{at}", name = "users.notes_at")]
pub(crate) async fn notes_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("notes of user {id} at {at}")
}

#[route(GET, "/users/{id}/links", name = "users.links")]
pub(crate) async fn links(Path(id): Path<u64>) -> String {
    format!("links of user {id}")
}

#[route(GET, "/users/{id}/links/{at}", name = "users.links_at")]
pub(crate) async fn links_at(Path((id, at)): Path<(u64, usize)>) -> String {
    format!("links of user {id} at {at}")
}
