//! `cargo run --release -p probe -- --listen 127.0.0.1:PORT`. What its own arguments set is in `settings.rs`.

use polywire::files::Files;
use polywire::prelude::*;

mod settings;

fn main() -> ExitCode {
    let settings = match settings::Settings::parse(polywire::args().skip(1)) {
        Ok(settings) => settings,
        Err(wrong) => {
            eprintln!("error: {wrong}");
            return ExitCode::FAILURE;
        }
    };
    if let Some(folder) = &settings.files {
        match Files::at(folder) {
            // It is set nowhere else.
            Ok(files) => drop(probe::FOLDER.set(files)),
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    App::new(probe::generated::Routes::new())
        .about("The application that Polywire's tests and benchmarks talk to.")
        .usage(settings::USAGE)
        .limits(settings.limits)
        .timeouts(settings.timeouts)
        .run()
}
