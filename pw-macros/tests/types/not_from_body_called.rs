//! A body that can't be deserialised, as the binder makes it.

use polywire::codegen;
use polywire::prelude::*;

#[path = "../generated/not_from_body_called.rs"]
mod generated;

struct Order;

#[route(POST, "/")]
async fn create(Json(_order): Json<Order>) {}

async fn binder(head: &impl RequestHead, cx: &mut impl Exchange) -> Result<(), Problem> {
    let (body, _reply) = cx.split();
    let last = codegen::body();
    let bytes = codegen::read(body, last.wants_body(head)?).await?;
    create(last.make(head, bytes)?).await;
    Ok(())
}

fn main() {}
