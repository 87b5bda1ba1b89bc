//! A crate by its name in Cargo.toml.

polywire::generated! { crates: [my-accounts] }

fn main() {}
