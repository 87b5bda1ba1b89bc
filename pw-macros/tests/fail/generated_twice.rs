//! A name twice.

polywire::generated! { state: A, state: B }

fn main() {}
