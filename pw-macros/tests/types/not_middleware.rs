//! A chain with something in it that is no middleware, as the binder runs it.

use polywire::prelude::*;
use polywire::{RequestId, codegen};

#[path = "../generated/not_middleware.rs"]
mod generated;

struct Assets;

type Chain = (polywire::DefaultChain, Assets, RequestId);

#[route(GET, "/")]
async fn show() {}

async fn binder<E: Exchange>(chain: &Chain, head: &E::Head, cx: &mut E, handlers: impl codegen::Next<E>) -> Result<(), Problem> {
    codegen::Middleware::around(chain, head, cx, handlers).await
}

fn main() {}
