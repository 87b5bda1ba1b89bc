//! A file where `#[path]` says, and a child beside it.

mod beside;

#[polywire::route(GET, "/elsewhere")]
pub(crate) async fn elsewhere() -> &'static str {
    "elsewhere"
}
