//! Written by `cargo xtask generate`: do not edit. The handlers of `chat` on the hyper transport.

use polywire::codegen::hyper::{Exchange, Head, Service};
use polywire::codegen::{
    self, Exchange as _, Match, Middleware, Next, Problem, Respond, Table,
};

use super::{Routes, TABLE, at};

impl Service for Routes {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        Middleware::around(&self.chain, head, cx, Handlers(self)).await
    }
}

/// The end of the chain: the handler of the route that was found.
struct Handlers<'a>(&'a Routes);

impl Next<Exchange> for Handlers<'_> {
    async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        match codegen::found(head) {
            Match::Route(at::INDEX) => {
                let answer = crate::index(codegen::state(&self.0.state)).await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::CLOCK) => {
                let answer = crate::clock(codegen::state(&self.0.state)).await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::TALK) => {
                let answer = crate::talk(head, cx, codegen::state(&self.0.state)).await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}
