//! A file below an inline module.

#[polywire::route(GET, "/inline/below")]
pub(crate) async fn below_route() -> &'static str {
    "below"
}
