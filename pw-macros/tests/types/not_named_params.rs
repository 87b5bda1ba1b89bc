//! One type, not a struct of parameters, for two of them.

use polywire::prelude::*;

#[path = "../generated/not_named_params.rs"]
mod generated;

struct Id;

impl FromParam<'_> for Id {
    const EXPECTED: &'static str = "an id";
    fn from_param(_: &str) -> Option<Self> {
        Some(Id)
    }
}

#[route(GET, "/{id}/{slug}")]
async fn show(Path(_id): Path<Id>) {}

fn main() {}
