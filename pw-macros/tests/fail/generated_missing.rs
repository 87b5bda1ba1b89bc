//! Never generated.

polywire::generated! {}

fn main() {}
