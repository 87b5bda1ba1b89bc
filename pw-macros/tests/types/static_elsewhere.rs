//! A type that borrows for longer than the request lasts, where only the compiler can tell.

use std::borrow::Cow;

use polywire::prelude::*;

#[path = "../generated/static_elsewhere.rs"]
mod generated;

#[route(GET, "/{id}")]
async fn show(Path(_id): Path<Cow<'static, str>>) {}

fn main() {}
