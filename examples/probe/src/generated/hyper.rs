//! Written by `cargo xtask generate`: do not edit. The handlers of `probe` on the hyper transport.

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
        Middleware::around(&self.chain, head, cx, Handlers).await
    }
}

/// The end of the chain: the handler of the route that was found.
struct Handlers;

impl Next<Exchange> for Handlers {
    async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        match codegen::found(head) {
            Match::Route(at::INDEX) => {
                let answer = crate::index().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::DOWNLOAD) => {
                let answer = crate::download(codegen::head(head)?).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::ECHO) => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::echo(last.make(head, bytes)?).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            Match::Route(at::EVENTS) => {
                let answer = crate::events().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::FILE) => {
                let answer = crate::file(codegen::head(head)?).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::LARGE) => {
                let answer = crate::large().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::PING) => {
                let answer = crate::ping().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::ROWS) => {
                let answer = crate::rows().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::SEARCH) => {
                let answer = crate::search(codegen::head(head)?).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::ASSET) => {
                let answer = crate::asset(head, codegen::head(head)?).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::UPLOAD) => {
                let answer = crate::upload(cx).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::CREATE_USER) => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::create_user(last.make(head, bytes)?).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            Match::Route(at::SHOW_USER) => {
                let answer = crate::show_user(codegen::head(head)?).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::WAIT) => {
                let answer = crate::wait().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            Match::Route(at::WS) => {
                let answer = crate::ws(head, cx).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}
