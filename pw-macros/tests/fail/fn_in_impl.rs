//! A function of a type, without `self`: no macro can see that it stands in an `impl`, but it does not get through.

use polywire::prelude::*;

struct App;

impl App {
    #[route(GET, "/")]
    async fn show() {}
}

fn main() {}
