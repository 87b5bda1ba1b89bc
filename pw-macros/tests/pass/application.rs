//! `generated!` in a crate root finds the module beside it, whatever lints the crate has chosen.

#![deny(missing_docs, unreachable_pub, dead_code, unused_qualifications)]

use polywire::prelude::*;

polywire::generated!();

#[route(GET, "/")]
async fn index() -> &'static str {
    "hello"
}

fn main() {
    assert_eq!(generated::FINGERPRINTS.len(), 1);
    drop(index());
}
