//! An exchange whose connection is taken over, without having been asked for as such.

use polywire::Upgraded;
use polywire::prelude::*;

#[path = "../generated/not_upgrade.rs"]
mod generated;

#[route(GET, "/shout")]
async fn shout(cx: &mut impl Exchange) {
    take(cx);
}

fn take(cx: &mut impl Upgrade) {
    cx.upgrade(async |_: Upgraded| {});
}

fn main() {}
