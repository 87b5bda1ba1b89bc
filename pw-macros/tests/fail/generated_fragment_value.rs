//! A fragment with a value.

polywire::generated! { fragment: true }

fn main() {}
