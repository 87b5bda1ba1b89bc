//! Written by `cargo xtask generate`: do not edit. The handlers of `pw-gen-golden-shop` on the fast transport.

use std::time::Duration;

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
            Match::Route(route @ at::INDEX..=at::PAGE) => {
                self.root_to_page(route, head, cx).await
            }
            #[cfg(all(feature = "admin", feature = "search"))]
            Match::Route(route @ at::ADMIN_SEARCH) => self.admin(route, head, cx).await,
            #[cfg(all(feature = "admin", not(feature = "search")))]
            Match::Route(route @ at::ADMIN_NOTHING) => {
                self.admin_2(route, head, cx).await
            }
            #[cfg(feature = "admin")]
            Match::Route(route @ at::ADMIN) => self.admin_3(route, head, cx).await,
            #[cfg(feature = "search")]
            Match::Route(route @ at::SEARCH_FORM..=at::SEARCH) => {
                self.search(route, head, cx).await
            }
            #[cfg(not(unix))]
            Match::Route(route @ at::PLATFORM) => self.platform(route, head, cx).await,
            #[cfg(unix)]
            Match::Route(route @ at::ACCOUNTS_UNIX..=at::PLATFORM) => {
                self.accounts_to_platform(route, head, cx).await
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}

impl Handlers<'_> {
    /// `/` to `/{page}`: 27 routes.
    async fn root_to_page(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::INDEX => {
                let answer = crate::index(codegen::state(&self.0.state)).await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ACCOUNTS_LIMIT => {
                let answer = ::accounts::limit(codegen::state(&self.0.state)).await; // `accounts`, src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ACCOUNTS_SHOW => {
                let answer = ::accounts::users::show(codegen::head(head)?).await; // `accounts`, src/users.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::AGENT => {
                let (body, reply) = cx.split();
                let last = codegen::last();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::args::agent(last.make(head, bytes)?).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::ECHO => {
                let (body, reply) = cx.split();
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::args::echo(last.make(head, bytes)?).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::GENERIC => {
                let handler = async {
                    let answer = crate::args::generic(head, cx).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                    Respond::respond_to(answer, head, cx.reply())
                };
                codegen::within(Duration::from_secs(3600), handler).await
            }
            at::HEAD => {
                let answer = crate::args::head(head, codegen::state(&self.0.state)) // src/args.rs; moved or gone? Run `cargo xtask generate`
                    .await;
                Respond::respond_to(answer, head, cx.reply())
            }
            at::LENGTH => {
                let (body, reply) = cx.split();
                let last = codegen::last();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::args::length(last.make(head, bytes)?).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, reply)
            }
            at::NAMED => {
                let answer = crate::args::named(codegen::head(head)?).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::NOTE => {
                let (body, reply) = cx.split();
                let path = codegen::head(head)?;
                let value = codegen::head(head)?;
                let value_2 = codegen::head(head)?;
                let query = codegen::head(head)?;
                let last = codegen::body();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                let answer = crate::args::note( // src/args.rs; moved or gone? Run `cargo xtask generate`
                    codegen::state(&self.0.state),
                    path,
                    value,
                    value_2,
                    query,
                    head,
                    last.make(head, bytes)?,
                )
                .await;
                Respond::respond_to(answer, head, reply)
            }
            at::ONE => {
                let answer = crate::args::one(codegen::head(head)?).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::QUERY => {
                let answer = crate::args::query(codegen::head(head)?).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::RAW => {
                let answer = crate::args::raw( // src/args.rs; moved or gone? Run `cargo xtask generate`
                    codegen::head(head)?,
                    cx,
                    codegen::head(head)?,
                )
                .await;
                Respond::respond_to(answer, head, cx.reply())
            }
            at::TWO => {
                let answer = crate::args::two(codegen::head(head)?).await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::RAW_NAME => {
                let answer = crate::args::r#type().await; // src/args.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ITEMS_FORM => {
                let answer = crate::catalog::items::form().await; // src/catalog/items.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ITEMS_SHOW => {
                let handler = async {
                    let answer = crate::catalog::items::show(codegen::head(head)?).await; // src/catalog/items.rs; moved or gone? Run `cargo xtask generate`
                    Respond::respond_to(answer, head, cx.reply())
                };
                codegen::within(Duration::from_secs(5), handler).await
            }
            at::ITEMS_PUT => {
                let handler = async {
                    let (body, reply) = cx.split();
                    let path = codegen::head(head)?;
                    let last = codegen::body();
                    let bytes = codegen::read(body, last.wants_body(head)?).await?;
                    let answer = crate::catalog::items::put( // src/catalog/items.rs; moved or gone? Run `cargo xtask generate`
                        path,
                        last.make(head, bytes)?,
                    )
                    .await;
                    Respond::respond_to(answer, head, reply)
                };
                codegen::within(Duration::from_secs(120), handler).await
            }
            at::ITEMS_SLASH => {
                let answer = crate::catalog::items::slash(codegen::head(head)?).await; // src/catalog/items.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ITEMS_WAIT => {
                let handler = async {
                    let (body, reply) = cx.split();
                    let path = codegen::head(head)?;
                    let last = codegen::body();
                    let bytes = codegen::read(body, last.wants_body(head)?).await?;
                    let answer = crate::catalog::items::wait( // src/catalog/items.rs; moved or gone? Run `cargo xtask generate`
                        path,
                        last.make(head, bytes)?,
                    )
                    .await;
                    Respond::respond_to(answer, head, reply)
                };
                codegen::within(Duration::from_millis(20), handler).await
            }
            at::BROWSE => {
                let answer = crate::catalog::browse(codegen::head(head)?).await; // src/catalog/mod.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::PURGE => {
                let answer = crate::catalog::purge(codegen::head(head)?).await; // src/catalog/mod.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::ELSEWHERE => {
                let answer = crate::elsewhere::elsewhere().await; // src/odd/place.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::INLINE_ROUTE => {
                let answer = crate::inline::inline_route().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::BELOW_ROUTE => {
                let answer = crate::inline::below::below_route().await; // src/inline/below.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::DEEP_ROUTE => {
                let answer = crate::inline::deep::deep_route().await; // src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::PAGE => {
                let answer = crate::conditions::page(codegen::head(head)?).await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/admin`: 1 route.
    #[cfg(all(feature = "admin", feature = "search"))]
    async fn admin(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::ADMIN_SEARCH => {
                let answer = crate::conditions::admin::search().await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/admin`: 1 route.
    #[cfg(all(feature = "admin", not(feature = "search")))]
    async fn admin_2(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::ADMIN_NOTHING => {
                let answer = crate::conditions::admin::nothing().await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/admin`: 1 route.
    #[cfg(feature = "admin")]
    async fn admin_3(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::ADMIN => {
                let answer = crate::conditions::admin::admin().await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/search`: 2 routes.
    #[cfg(feature = "search")]
    async fn search(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::SEARCH_FORM => {
                let answer = crate::conditions::search_form().await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::SEARCH => {
                let answer = crate::conditions::search(codegen::head(head)?).await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/platform`: 1 route.
    #[cfg(not(unix))]
    async fn platform(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::PLATFORM => {
                let answer = crate::conditions::other_platform().await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }

    /// `/accounts` to `/platform`: 2 routes.
    #[cfg(unix)]
    async fn accounts_to_platform(
        self,
        route: usize,
        head: &Head,
        cx: &mut Exchange,
    ) -> Result<(), Problem> {
        match route {
            at::ACCOUNTS_UNIX => {
                let answer = ::accounts::unix().await; // `accounts`, src/lib.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            at::PLATFORM => {
                let answer = crate::conditions::platform().await; // src/conditions.rs; moved or gone? Run `cargo xtask generate`
                Respond::respond_to(answer, head, cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}
