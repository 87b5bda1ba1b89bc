//! Routes that are not in every build: a group of their own.

use polywire::prelude::*;

#[route(GET, "/books/extra", name = "books.extra")]
pub(crate) async fn books() -> &'static str {
    "extra books"
}

#[route(GET, "/zoo", name = "zoo")]
pub(crate) async fn zoo() -> &'static str {
    "zoo"
}
