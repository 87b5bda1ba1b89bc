//! A panic in a handler, and every error, becomes an answer.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::problem::kind;
use crate::{Exchange, Middleware, Next, Problem, Reply, RequestHead};

/// Turns a panic below it into a 500 problem, logged with the request id, and every problem into its document.
///
/// Only the one exchange is lost: the process and other requests go on. It needs `panic = "unwind"`. What a panic's
/// message says goes to the log (through the panic hook as well), never to the client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recover;

impl Middleware for Recover {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        let outcome = Catch::new(next.run(head, cx)).await;
        answer(outcome, head, cx.reply());
        Ok(())
    }
}

/// Leaves the reply complete, whatever came of what should have made it.
// Inlined, since it has nothing to do where all is well, twice per request.
#[inline(always)]
pub(crate) fn answer(outcome: Result<Result<(), Problem>, Panic>, head: &impl RequestHead, reply: &mut Reply) {
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(problem)) => problem.answer(head, reply),
        Err(panic) => panic.answer(head, reply),
    }
}

pin_project! {
    /// Runs a future to its end or its panic, for this middleware and for transports, which must survive a chain without it.
    ///
    /// It answers an error once the future has panicked, which is then never polled again.
    pub struct Catch<F> {
        #[pin]
        future: F,
    }
}

impl<F: Future> Catch<F> {
    /// Around a future whose state nobody looks at after a panic, but for a reply, which is cleared, and a body, which
    /// knows how far it was read.
    pub fn new(future: F) -> Self {
        Self { future }
    }
}

impl<F: Future> Future for Catch<F> {
    type Output = Result<F::Output, Panic>;

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        match catch_unwind(AssertUnwindSafe(|| future.poll(task))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(Panic(panic))),
        }
    }
}

/// A panic that was caught.
#[derive(Debug)]
pub struct Panic(Box<dyn Any + Send>);

impl Panic {
    /// Logs it and makes the reply a 500 problem.
    pub fn answer(&self, head: &impl RequestHead, reply: &mut Reply) {
        let request_id = reply.request_id().unwrap_or("-");
        let (method, route) = (head.method(), head.route().map_or("-", |route| route.name()));
        tracing::error!(target: "polywire", request_id, method, route, panic = message(&*self.0), "a handler panicked");
        Problem::of(&kind::INTERNAL).write(reply);
    }
}

pub(crate) fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(not text)")
}
