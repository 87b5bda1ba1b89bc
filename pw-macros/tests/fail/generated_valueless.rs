//! A name without its value.

polywire::generated! { state }

fn main() {}
