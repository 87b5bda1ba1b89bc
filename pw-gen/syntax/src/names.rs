//! The names that generated code has, and the sentences that more than one tool says. Each is decided here and nowhere
//! else.

/// The command that writes `src/generated`.
pub const COMMAND: &str = "cargo xtask generate";

/// The module of the crate root that holds generated code.
pub const MODULE: &str = "generated";

/// The sorted table of the fingerprints of all generated routes, in [`MODULE`].
pub const FINGERPRINTS: &str = "FINGERPRINTS";

/// The [hash](crate::GeneratedArgs::hash) of what `generated!` said when its code was generated, in [`MODULE`].
pub const OPTIONS: &str = "OPTIONS";

/// The number of a fragment's routes that its applications compare, in [`MODULE`].
pub const DIGEST: &str = "DIGEST";

/// How the first line of every generated file begins.
pub const WRITTEN_BY: &str = "Written by `cargo xtask generate`: do not edit.";

/// What is said of a route that was never generated, or has changed since.
pub fn not_generated(route: &str) -> String {
    format!("route `{route}` is not in src/generated: run `{COMMAND}`")
}

/// What is said where `generated!` says something else than when its code was generated.
pub fn options_changed() -> String {
    format!("the options of `polywire::{MODULE}!` are not those of src/generated: run `{COMMAND}`")
}

/// What is said of a fragment whose routes are not those that an application was generated from.
pub fn fragment_changed(fragment: &str) -> String {
    format!("the routes of `{fragment}` have changed: run `{COMMAND}`")
}

/// What is said where there is no generated code at all.
pub fn never_generated() -> String {
    format!("src/generated does not exist yet: run `{COMMAND}`")
}
