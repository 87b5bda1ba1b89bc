//! Crates that are no list.

polywire::generated! { crates: accounts }

fn main() {}
