//! Header fields as other frameworks hand them over.

use polywire::HeaderMap;
use polywire::prelude::*;

#[path = "../generated/not_from_last_fields.rs"]
mod generated;

#[route(GET, "/")]
async fn show(_fields: HeaderMap) {}

fn main() {}
