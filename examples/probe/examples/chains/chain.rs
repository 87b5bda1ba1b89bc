//! `GET /users/{id}` with other chains than the probe's own: of nothing, of one middleware that does nothing, of three.
//!
//! Bound by hand as generated code binds it, with the probe's own table and handler, so that the chain is all that differs. A
//! binder has to be written out for each chain and transport: that a future is `Send` is proven where nothing is generic.

use polywire::codegen;
use polywire::{Exchange, Middleware, Next, Problem};
use probe::generated::Routes;

/// Does nothing, as a user would write it.
pub(crate) struct Nothing;

impl Middleware for Nothing {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        next.run(head, cx).await
    }
}

/// The application with this chain.
macro_rules! chained {
    ($name:ident: $chain:ty = $value:expr) => {
        pub(crate) struct $name {
            chain: $chain,
            routes: Routes,
        }

        impl $name {
            pub(crate) fn new() -> Self {
                Self {
                    chain: $value,
                    routes: Routes::new(),
                }
            }
        }

        polywire::if_hyper! { bound! { hyper, $name } }
        polywire::if_fast! { bound! { fast, $name } }
    };
}

/// Its binder for a transport.
macro_rules! bound {
    ($transport:ident, $name:ident) => {
        const _: () = {
            use codegen::$transport::{Exchange, Head, Service};
            use codegen::{Exchange as _, Match, Respond, Table};

            impl Service for $name {
                fn table(&self) -> &'static Table {
                    Service::table(&self.routes)
                }

                async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                    self.chain.around(head, cx, Handler).await
                }
            }

            struct Handler;

            impl Next<Exchange> for Handler {
                async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
                    match codegen::found(head) {
                        Match::Route(_) => {
                            let answer = probe::show_user(codegen::head(head)?).await;
                            answer.respond(cx.reply())
                        }
                        _ => codegen::unrouted(head, cx.reply()),
                    }
                }
            }
        };
    };
}

chained! { Unchained: () = () }
chained! { One: Nothing = Nothing }
chained! { Three: (Nothing, (Nothing, Nothing)) = (Nothing, (Nothing, Nothing)) }

/// How large the future of a request is, on the transport that runs.
macro_rules! future_size {
    ($routes:ty) => {{
        let size = std::cell::Cell::new(0);
        // Where both are built in, fast runs.
        polywire::if_hyper! { size.set(crate::chain::future_of(<$routes as polywire::codegen::hyper::Service>::call)); }
        polywire::if_fast! { size.set(crate::chain::future_of(<$routes as polywire::codegen::fast::Service>::call)); }
        size.get()
    }};
}
pub(crate) use future_size;

/// How large what `call` gives is, without calling it.
pub(crate) fn future_of<S: 'static, H: 'static, E: 'static, F>(
    _call: impl Fn(&'static S, &'static H, &'static mut E) -> F,
) -> usize {
    size_of::<F>()
}
