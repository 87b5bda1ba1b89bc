//! A body that can't be deserialised.

use polywire::prelude::*;

#[path = "../generated/not_from_body.rs"]
mod generated;

struct Order;

#[route(POST, "/")]
async fn create(Json(_order): Json<Order>) {}

fn main() {}
