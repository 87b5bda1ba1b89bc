//! A stream that can't go to another thread, as the type names it and as the binder finds it.

use std::pin::Pin;

use futures_core::Stream;
use polywire::prelude::*;
use polywire::{Streamed, codegen};

#[path = "../generated/not_send_stream.rs"]
mod generated;

type Lines = Streamed<Pin<Box<dyn Stream<Item = Result<String, std::io::Error>>>>>;

#[route(GET, "/lines")]
async fn lines() -> Streamed<Pin<Box<dyn Stream<Item = Result<String, std::io::Error>>>>> {
    unreachable!()
}

async fn binder(head: &impl RequestHead, cx: &mut impl Exchange) -> Result<(), Problem> {
    let answer: Lines = lines().await;
    codegen::Respond::respond_to(answer, head, cx.reply())
}

fn main() {}
