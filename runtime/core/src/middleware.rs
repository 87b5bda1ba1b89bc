//! The chain around every handler, composed at compile time: no boxes, no dynamic calls.
//!
//! An application's chain is one concrete type, a tuple from the outside in: `(RequestId, Recover, MyOwn)`. Pairs nest:
//! `(DefaultChain, MyOwn)` is a chain too.

use std::future::Future;

use crate::{Exchange, Problem};

/// What stands around the rest of the chain.
///
/// Routing has come before: [`RequestHead::route`](crate::RequestHead::route) is known, and 404, 405 and 501 pass through too. Nothing here can
/// change the path.
///
/// ```
/// use pw_core::{Exchange, FieldValue, Middleware, Next, Problem};
///
/// /// Tells caches to keep nothing.
/// struct NoStore;
///
/// impl Middleware for NoStore {
///     async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
///         next.run(head, cx).await?;
///         cx.reply().insert(http::header::CACHE_CONTROL, FieldValue::from_static("no-store"));
///         Ok(())
///     }
/// }
/// ```
///
/// Wrong: setting a field before `next.run` and expecting it on errors too. An error becomes a problem document, which
/// starts from an empty reply; set what errors must carry after, whatever the result was.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no middleware, so it can't be an application's chain or stand in one",
    label = "not `Middleware`",
    note = "a chain is one middleware, or a tuple of 2 to 8 from the outside in, which nest: `(A, B, C)`, `(A, (B, C))`, `(DefaultChain, C)`; \
            `()` is a chain of nothing",
    note = "a middleware implements `Middleware`: `RequestId`, `Recover` and `Compression` do, and what you write"
)]
pub trait Middleware {
    /// Runs around `next`, or instead of it.
    ///
    /// # Errors
    /// A problem takes the place of the answer, at [`Recover`](crate::Recover) or else at the transport.
    fn around<E: Exchange, N: Next<E>>(
        &self,
        head: &E::Head,
        cx: &mut E,
        next: N,
    ) -> impl Future<Output = Result<(), Problem>>;

    /// The name `cargo xtask explain` and logs show.
    fn name(&self) -> &'static str {
        let name = std::any::type_name::<Self>();
        name.rsplit("::").next().unwrap_or(name)
    }
}

/// The rest of the chain, the handler included. It runs once.
///
/// Transports and generated code implement it; a middleware is handed one. Wrong: running it twice, to try again after an
/// error. [`run`](Self::run) takes `self`, and the body may have been read: let the client ask again, with
/// `Retry-After`.
pub trait Next<E: Exchange> {
    /// Runs it.
    ///
    /// # Errors
    /// What the handler or an inner middleware answered with in place of a reply.
    fn run(self, head: &E::Head, cx: &mut E) -> impl Future<Output = Result<(), Problem>>;
}

/// The outer of two, then the inner.
// Futures are handed on, not awaited: an `async fn` here would be one more to keep and to poll.
impl<A: Middleware, B: Middleware> Middleware for (A, B) {
    fn around<E: Exchange, N: Next<E>>(
        &self,
        head: &E::Head,
        cx: &mut E,
        next: N,
    ) -> impl Future<Output = Result<(), Problem>> {
        self.0.around(head, cx, Then(&self.1, next))
    }
}

// `(A, B, C)` runs as `(A, (B, C))` does. The rest is wrapped from its end: the last of it stands next to the handler.
macro_rules! chains {
    (@then $next:ident, $last:ident) => { Then($last, $next) };
    (@then $next:ident, $first:ident $($rest:ident)+) => { Then($first, chains!(@then $next, $($rest)+)) };
    ($($first:ident $($rest:ident)+;)+) => {$(
        impl<$first: Middleware, $($rest: Middleware),+> Middleware for ($first, $($rest),+) {
            fn around<Cx: Exchange, End: Next<Cx>>(
                &self,
                head: &Cx::Head,
                cx: &mut Cx,
                next: End,
            ) -> impl Future<Output = Result<(), Problem>> {
                #[allow(non_snake_case)]
                let ($first, $($rest),+) = self;
                $first.around(head, cx, chains!(@then next, $($rest)+))
            }
        }
    )+};
}

chains! {
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

/// A chain of nothing.
impl Middleware for () {
    fn around<E: Exchange, N: Next<E>>(
        &self,
        head: &E::Head,
        cx: &mut E,
        next: N,
    ) -> impl Future<Output = Result<(), Problem>> {
        next.run(head, cx)
    }
}

struct Then<'a, M, N>(&'a M, N);

impl<E: Exchange, M: Middleware, N: Next<E>> Next<E> for Then<'_, M, N> {
    fn run(self, head: &E::Head, cx: &mut E) -> impl Future<Output = Result<(), Problem>> {
        self.0.around(head, cx, self.1)
    }
}
