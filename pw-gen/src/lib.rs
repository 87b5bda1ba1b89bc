//! Polywire's generator: source files in, the route table and one binder per transport out.
//!
//! `Sources -> scan -> check -> RouteSet -> emit -> files`: a pure function. Around it: `workspace` asks cargo where sources are,
//! `output` writes and compares, `command` is the command line, [`cli`] the door for a three-line `xtask`. What one route
//! means is decided in `pw-syntax`, which the macro asks too. It compiles nothing, runs nothing of the application, and
//! needs stable Rust only.

mod check;
mod command;
mod condition;
mod diagnostic;
mod emit;
mod explain;
mod listing;
mod name;
mod output;
mod package;
mod route_set;
mod scan;
mod sources;
#[cfg(test)]
mod tests;
mod transport;
pub mod tree;
mod workspace;

use std::process::ExitCode;

pub use command::{Status, run};

/// The whole of an application's `xtask`:
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     pw_gen::cli()
/// }
/// ```
///
/// The process's arguments are the command line, its current directory says which package is meant. Exit code 1: something
/// is wrong in the sources (or, with `--check`, in generated code); 2: the command line is wrong.
pub fn cli() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|a| a.to_string_lossy().into_owned())
        .collect();
    let done = std::env::current_dir()
        .and_then(|directory| run(&directory, &arguments, &mut std::io::stdout(), &mut std::io::stderr()));
    match done {
        Ok(status) => status.code().into(),
        // A closed pipe (`| head`) is the reader's choice.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
