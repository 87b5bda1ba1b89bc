//! A function without a body.

use polywire::prelude::*;

trait Api {
    #[route(GET, "/")]
    async fn show();
}

fn main() {}
