//! Nothing said.

use polywire::prelude::*;

#[route]
async fn show() {}

fn main() {}
