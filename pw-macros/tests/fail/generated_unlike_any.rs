//! A name that does not exist.

polywire::generated! { port: 8080 }

fn main() {}
