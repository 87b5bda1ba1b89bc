//! A part that the state does not have, as the binder asks for it.

use polywire::codegen;
use polywire::prelude::*;

#[path = "../generated/not_provided.rs"]
mod generated;

struct Board;

struct Mail;

#[route(GET, "/")]
async fn show(State(_mail): State<'_, Mail>) {}

async fn binder(board: &Board) {
    show(codegen::state(board)).await
}

fn main() {}
