//! A type that is not of this crate.

polywire::generated! { chain: ::web::Chain }

fn main() {}
