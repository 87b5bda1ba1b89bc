//! Nothing said, in parentheses.

use polywire::prelude::*;

#[route()]
async fn show() {}

fn main() {}
