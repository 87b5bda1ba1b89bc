//! What generated code binds an application to.

use std::future::Future;

use pw_core::{HeadBuffer, Parts, Problem, Table};

use crate::body::RequestBody;

/// The head of a request on this transport.
pub type Head = HeadBuffer;

/// An exchange on this transport.
pub type Exchange = Parts<RequestBody>;

/// An application bound to this transport: generated code implements it. Its futures stay on the worker that made them, so
/// they need not be `Send`; the application itself is shared by all workers.
pub trait Service: Send + Sync + 'static {
    /// The routes.
    fn table(&self) -> &'static Table;

    /// Runs the chain and the handler of the route that `head` found.
    ///
    /// # Errors
    /// A problem no middleware made an answer of; the transport does.
    fn call(&self, head: &Head, cx: &mut Exchange) -> impl Future<Output = Result<(), Problem>>;
}
