//! The least there can be: one file, the default chain, no state.

use polywire::prelude::*;

polywire::generated!();

#[route(GET, "/")]
async fn index() -> &'static str {
    "hello"
}

#[route(GET, "/hello/{name}")]
async fn hello(Path(name): Path<&str>) -> String {
    format!("hello, {name}")
}

fn main() -> ExitCode {
    App::new(generated::Routes::new()).run()
}
