//! Written by `cargo xtask generate`: do not edit. The handlers of `helloworld` on the fast transport.

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
        Middleware::around(&self.chain, head, cx, Handlers(self)).await
    }
}

/// The end of the chain: the handler of the route that was found.
struct Handlers<'a>(&'a Routes);

impl Next<Exchange> for Handlers<'_> {
    async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        match codegen::found(head) {
            Match::Route(at::INDEX) => {
                let answer = crate::index().await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::GREET) => {
                let answer = crate::greet(codegen::head(head)?).await; // src/main.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::CREATE_USER) => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::create_user( // src/main.rs; moved or gone? Run `cargo xtask generate`
                    codegen::state(&self.0.state),
                    last.make(head, bytes)?,
                )
                .await;
                Respond::respond_to(answer, head, reply)
            }
            Match::Route(at::SHOW_USER) => {
                let answer = crate::show_user( // src/main.rs; moved or gone? Run `cargo xtask generate`
                    codegen::head(head)?,
                    codegen::state(&self.0.state),
                )
                .await;
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}
