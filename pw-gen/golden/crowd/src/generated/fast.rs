//! Written by `cargo xtask generate`: do not edit. The handlers of `pw-gen-golden-crowd` on the fast transport.

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
            Match::Route(route @ at::BOOKS_LIST..=at::CARTS_TAGS_AT) => {
                self.books_to_carts(route, head, cx).await
            }
            Match::Route(route @ at::ORDERS_LIST..=at::USERS_TAGS_AT) => {
                self.orders_to_users(route, head, cx).await
            }
            #[cfg(feature = "extra")]
            Match::Route(route @ at::BOOKS_EXTRA..=at::ZOO) => {
                self.books_to_zoo(route, head, cx).await
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}

impl Handlers {
    /// `/books` to `/carts`: 22 routes.
    async fn books_to_carts(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::BOOKS_LIST => {
                let answer = crate::books::list().await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_CREATE => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::books::create(last.make(head, bytes)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::BOOKS_DELETE => {
                let answer = crate::books::delete(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_SHOW => {
                let answer = crate::books::show(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_REPLACE => {
                let (body, reply) = cx.split();
                let path = codegen::head(head)?;
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::books::replace(path, last.make(head, bytes)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::BOOKS_LINKS => {
                let answer = crate::books::links(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_LINKS_AT => {
                let answer = crate::books::links_at(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_NOTES => {
                let answer = crate::books::notes(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_NOTES_AT => {
                let answer = crate::books::notes_at(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_TAGS => {
                let answer = crate::books::tags(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BOOKS_TAGS_AT => {
                let answer = crate::books::tags_at(codegen::head(head)?).await; // src/books.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_LIST => {
                let answer = crate::carts::list().await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_CREATE => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::carts::create(last.make(head, bytes)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::CARTS_DELETE => {
                let answer = crate::carts::delete(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_SHOW => {
                let answer = crate::carts::show(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_REPLACE => {
                let (body, reply) = cx.split();
                let path = codegen::head(head)?;
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::carts::replace(path, last.make(head, bytes)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::CARTS_LINKS => {
                let answer = crate::carts::links(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_LINKS_AT => {
                let answer = crate::carts::links_at(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_NOTES => {
                let answer = crate::carts::notes(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_NOTES_AT => {
                let answer = crate::carts::notes_at(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_TAGS => {
                let answer = crate::carts::tags(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::CARTS_TAGS_AT => {
                let answer = crate::carts::tags_at(codegen::head(head)?).await; // src/carts.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/orders` to `/users`: 22 routes.
    async fn orders_to_users(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::ORDERS_LIST => {
                let answer = crate::orders::list().await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_CREATE => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::orders::create(last.make(head, bytes)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::ORDERS_DELETE => {
                let answer = crate::orders::delete(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_SHOW => {
                let answer = crate::orders::show(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_REPLACE => {
                let (body, reply) = cx.split();
                let path = codegen::head(head)?;
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::orders::replace(path, last.make(head, bytes)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::ORDERS_LINKS => {
                let answer = crate::orders::links(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_LINKS_AT => {
                let answer = crate::orders::links_at(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_NOTES => {
                let answer = crate::orders::notes(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_NOTES_AT => {
                let answer = crate::orders::notes_at(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_TAGS => {
                let answer = crate::orders::tags(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ORDERS_TAGS_AT => {
                let answer = crate::orders::tags_at(codegen::head(head)?).await; // src/orders.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_LIST => {
                let answer = crate::users::list().await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_CREATE => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::users::create(last.make(head, bytes)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::USERS_DELETE => {
                let answer = crate::users::delete(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_SHOW => {
                let answer = crate::users::show(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_REPLACE => {
                let (body, reply) = cx.split();
                let path = codegen::head(head)?;
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::users::replace(path, last.make(head, bytes)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::USERS_LINKS => {
                let answer = crate::users::links(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_LINKS_AT => {
                let answer = crate::users::links_at(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_NOTES => {
                let answer = crate::users::notes(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_NOTES_AT => {
                let answer = crate::users::notes_at(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_TAGS => {
                let answer = crate::users::tags(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::USERS_TAGS_AT => {
                let answer = crate::users::tags_at(codegen::head(head)?).await; // src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/books` to `/zoo`: 2 routes.
    #[cfg(feature = "extra")]
    async fn books_to_zoo(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::BOOKS_EXTRA => {
                let answer = crate::extra::books().await; // src/extra.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ZOO => {
                let answer = crate::extra::zoo().await; // src/extra.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}
