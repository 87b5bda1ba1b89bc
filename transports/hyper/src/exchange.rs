//! One exchange on hyper: the transport's head, body and reply, and the way from a parsed head to a complete reply.

use std::future::Future;
use std::time::Instant;

use pw_core::recover::Catch;
use pw_core::{HeadBuffer, Problem, Reply, RequestHead, Table};

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
#[derive(Debug, Default)]
pub struct Head {
    pub(crate) buffer: HeadBuffer,
}

impl RequestHead for Head {
    fn buffer(&self) -> &HeadBuffer {
        &self.buffer
    }
}

/// An exchange on this transport.
#[derive(Debug, Default)]
pub struct Exchange {
    pub(crate) body: RequestBody,
    pub(crate) reply: Reply,
    deadline: Option<Instant>,
}

impl pw_core::Exchange for Exchange {
    type Head = Head;
    type Body = RequestBody;

    fn split(&mut self) -> (&mut RequestBody, &mut Reply) {
        (&mut self.body, &mut self.reply)
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

impl Exchange {
    /// Makes it as new, keeping buffers of up to `keep` bytes.
    pub(crate) fn recycle(&mut self, keep: usize) {
        self.body.recycle(keep);
        self.reply.recycle(keep);
        self.deadline = None;
    }
}

/// Finds the route, and what it says of the exchange.
pub(crate) fn route<S: Service>(service: &S, kit: &mut Kit) {
    let Kit { head, exchange } = kit;
    head.buffer.find_route(service.table());
    if let Some(route) = head.route() {
        if let Some(limit) = route.body_limit() {
            exchange.body.limit_to(limit);
        }
        exchange.deadline = route.timeout().map(|timeout| Instant::now() + timeout);
    }
}

/// Runs the application on a routed exchange, and leaves the reply complete.
pub(crate) async fn run<S: Service>(service: &S, kit: &mut Kit) {
    let Kit { head, exchange } = kit;
    match Catch::new(service.call(head, exchange)).await {
        Ok(Ok(())) => {}
        Ok(Err(problem)) => problem.answer(head, &mut exchange.reply),
        Err(panic) => panic.answer(head, &mut exchange.reply),
    }
}
