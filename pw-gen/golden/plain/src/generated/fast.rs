//! Written by `cargo xtask generate`: do not edit. The handlers of `pw-gen-golden-plain` on the fast transport.

use polywire::codegen::fast::{Exchange, Head, Service};
use polywire::codegen::{
    self, Exchange as _, Match, Middleware, Next, Problem, Respond, Table,
};

use super::{Routes, TABLE, at};

impl Service for Routes {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        Middleware::around(&self.chain, head, cx, Handlers).await
    }
}

/// The end of the chain: the handler of the route that was found.
struct Handlers;

impl Next<Exchange> for Handlers {
    async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        match codegen::found(head) {
            Match::Route(at::INDEX) => {
                let answer = crate::index().await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::HELLO) => {
                let answer = crate::hello(codegen::head(head)?).await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}
