//! One exchange on hyper: what the application is to this transport, and the way from a parsed head to a complete reply.
//! What any transport does on that way is [`Parts`].

use std::future::Future;

use pw_core::recover::Catch;
use pw_core::{HeadBuffer, Parts, Problem, Table};

use crate::body::RequestBody;
use crate::kit::Kit;

/// An application bound to this transport: generated code implements it, where nothing is generic any more, so that the
/// compiler proves there that every handler's future is `Send`.
pub trait Service: Send + Sync + 'static {
    /// The routes.
    fn table(&self) -> &'static Table;

    /// Runs the chain and the handler of the route that `head` found.
    ///
    /// # Errors
    /// A problem no middleware made an answer of; the transport does.
    fn call(&self, head: &Head, cx: &mut Exchange) -> impl Future<Output = Result<(), Problem>> + Send;
}

/// The head of a request on this transport.
pub type Head = HeadBuffer;

/// An exchange on this transport.
pub type Exchange = Parts<RequestBody>;

/// Finds the route, and what it says of the exchange.
pub(crate) fn route<S: Service>(service: &S, kit: &mut Kit) {
    let Kit { head, exchange } = kit;
    head.find_route(service.table());
    if let Some(limit) = exchange.begin(head) {
        exchange.body.limit_to(limit);
    }
}

/// Runs the application on a routed exchange, and leaves the reply complete.
pub(crate) async fn run<S: Service>(service: &S, kit: &mut Kit) {
    let Kit { head, exchange } = kit;
    let outcome = Catch::new(service.call(head, exchange)).await;
    exchange.complete(head, outcome);
}
