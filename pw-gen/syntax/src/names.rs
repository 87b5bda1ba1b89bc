//! The names that generated code has, and the sentences that more than one tool says. Each is decided here and nowhere
//! else.

/// The command that writes `src/generated`.
pub const COMMAND: &str = "cargo xtask generate";

/// The module of the crate root that holds generated code.
pub const MODULE: &str = "generated";

/// The sorted table of the fingerprints of all generated routes, in [`MODULE`].
pub const FINGERPRINTS: &str = "FINGERPRINTS";

/// What is said of a route that was never generated, or has changed since.
pub fn not_generated(route: &str) -> String {
    format!("route `{route}` is not in src/generated: run `{COMMAND}`")
}

/// What is said where there is no generated code at all.
pub fn never_generated() -> String {
    format!("src/generated does not exist yet: run `{COMMAND}`")
}
