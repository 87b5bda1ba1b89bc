//! A method.

use polywire::prelude::*;

struct App;

impl App {
    #[route(GET, "/")]
    async fn show(&self) {}
}

fn main() {}
