//! `cargo run --release -p probe -- --listen 127.0.0.1:PORT`

use polywire::prelude::*;

fn main() -> ExitCode {
    App::new(probe::generated::Routes::new())
        .about("The application that Polywire's tests and benchmarks talk to.")
        .run()
}
