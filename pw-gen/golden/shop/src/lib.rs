//! All there can be: state and a chain of its own, modules in every layout, every kind of argument, options, `cfg`, and the
//! routes of another crate.

use polywire::prelude::*;
use polywire::{Recover, RequestId};

polywire::generated! { state: Shop, chain: Chain, crates: [accounts] }

mod args;
mod catalog;
mod conditions;
#[path = "odd/place.rs"]
mod elsewhere;
mod inline {
    use super::*;

    #[route(GET, "/inline")]
    pub(super) async fn inline_route() -> &'static str {
        "inline"
    }

    pub(crate) mod deep {
        #[polywire::route(GET, "/inline/deep")]
        pub(in super::super) async fn deep_route() -> &'static str {
            "deep"
        }
    }

    // In `inline/below.rs`.
    pub(crate) mod below;
}

/// The state of the application.
#[derive(Debug)]
pub struct Shop {
    /// Its name.
    pub name: &'static str,
    /// What the fragment asks for.
    pub limit: accounts::Limit,
}

impl Provide<accounts::Limit> for Shop {
    fn provide(&self) -> &accounts::Limit {
        &self.limit
    }
}

/// From the outside in.
pub type Chain = (RequestId, (Recover, Stamp));

/// Sets a field that tests look for.
#[derive(Debug, Default)]
pub struct Stamp;

impl Middleware for Stamp {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        let outcome = next.run(head, cx).await;
        cx.reply()
            .insert(HeaderName::from_static("x-stamp"), FieldValue::from_static("golden"));
        outcome
    }
}

#[route(GET, "/")]
async fn index(State(shop): State<'_, Shop>) -> &'static str {
    shop.name
}

/// The state and the chain that tests run with.
pub fn routes() -> generated::Routes {
    let limit = accounts::Limit(3);
    generated::Routes::new(Chain::default(), Shop { name: "shop", limit })
}
