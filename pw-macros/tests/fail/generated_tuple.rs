//! A type that has no name.

polywire::generated! { chain: (RequestId, Recover) }

fn main() {}
