//! The workspace's own commands: `cargo xtask help`.
//!
//! What applications have too (`generate`, `routes`, `explain`) is `pw_gen::cli`; what only this repository needs is a module
//! here and a line in [`COMMANDS`].

mod arrows;
mod bench;
mod faults;
mod many;
mod profile;
mod verify_transport;

use std::process::ExitCode;

/// A command of this repository.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "arrows",
        about: "check that crates depend on each other as ARCHITECTURE.md says",
        run: arrows::run,
    },
    Command {
        name: "bench",
        about: "measure Polywire beside its peers; --quick, --only LAYER, --check",
        run: bench::run,
    },
    Command {
        name: "faults",
        about: "attack and kill the probe on each transport; --transport NAME, --short",
        run: faults::run,
    },
    Command {
        name: "many",
        about: "write an application of COUNT handlers into FOLDER, to measure with",
        run: many::run,
    },
    Command {
        name: "profile",
        about: "say where a request's instructions go, by layer; --transport NAME, --case CASE",
        run: profile::run,
    },
    Command {
        name: "verify-transport",
        about: "prove that each build of a binary carries its transport alone; -p PACKAGE",
        run: verify_transport::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = arguments
        .first()
        .and_then(|name| COMMANDS.iter().find(|command| command.name == name));
    let Some(command) = command else {
        let code = pw_gen::cli();
        if matches!(arguments.first().map(String::as_str), Some("help" | "-h" | "--help")) {
            println!("\nIn Polywire's own workspace also:\n");
            for command in COMMANDS {
                println!("  {:33} {}", command.name, command.about);
            }
        }
        return code;
    };
    match (command.run)(&arguments[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
