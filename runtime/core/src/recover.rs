//! A panic in a handler, and every error, becomes an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use crate::{Exchange, Middleware, Next, Problem, RequestHead};

/// Turns a panic below it into a 500 problem, logged with the request id, and every problem into its document.
///
/// Only the one exchange is lost: the process and other requests go on. It needs `panic = "unwind"`. What a panic's
/// message says goes to the log (through the panic hook as well), never to the client.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recover;

impl Middleware for Recover {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        let outcome = {
            let mut inner = pin!(next.run(head, cx));
            std::future::poll_fn(|task| {
                // The future is dropped, not polled again, after a panic; the reply it wrote to is cleared.
                match catch_unwind(AssertUnwindSafe(|| inner.as_mut().poll(task))) {
                    Ok(poll) => poll.map(Ok),
                    Err(panic) => Poll::Ready(Err(panic)),
                }
            })
            .await
        };
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(problem)) => problem.write(cx.reply()),
            Err(panic) => {
                let request_id = cx.reply().request_id().unwrap_or("-");
                let route = head.route().map_or("-", |route| route.name());
                tracing::error!(request_id, route, panic = message(&*panic), "a handler panicked");
                Problem::of(&crate::problem::kind::INTERNAL).write(cx.reply());
            }
        }
        Ok(())
    }
}

fn message(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(not text)")
}
