//! The workspace's own commands.

fn main() -> std::process::ExitCode {
    pw_gen::cli()
}
