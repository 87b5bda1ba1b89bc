//! A crate twice.

polywire::generated! { crates: [accounts, accounts] }

fn main() {}
