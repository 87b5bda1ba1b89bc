//! The task of a WebSocket: the handler's future and, beside it, its connection, in turns until both have nothing to do.
//!
//! All of a socket's is in this one future and what is shared with the halves; what is on the wire is `wire`'s.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use pw_core::{Problem, Upgraded};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::options::Settings;
use crate::shared::{End, Shared};
use crate::wire::Wire;
use crate::{CloseCode, Error, ErrorKind, WebSocket};

/// How often handler and connection take turns before others of the thread have theirs.
const TURNS: usize = 64;

/// What the log knows a socket by.
pub(crate) struct Label {
    pub(crate) route: &'static str,
    pub(crate) request_id: Option<Box<str>>,
}

pin_project! {
    struct Connection<B, H> {
        wire: Wire,
        label: Label,
        stopping: bool,
        #[pin]
        begun: B,
        // The next of all deadlines, or an earlier time.
        #[pin]
        timer: Sleep,
        #[pin]
        handler: Option<H>,
    }
}

/// The future of a socket. It begins when the answer to the handshake has left.
pub(crate) fn run<In, Out, H>(
    stream: Upgraded,
    settings: Settings,
    protocol: Option<Box<str>>,
    label: Label,
    task: impl FnOnce(WebSocket<In, Out>) -> H,
) -> impl Future<Output = ()>
where
    H: Future<Output = Result<(), Problem>>,
{
    let shared = Arc::new(Shared::new(protocol, stream.peer()));
    let begun = stream.stopping().begun();
    let wire = Wire::new(stream, settings, Arc::clone(&shared), Instant::now());
    Connection {
        timer: sleep_until(wire.deadline().expect("it has just been opened")),
        wire,
        label,
        stopping: false,
        begun,
        handler: Some(task(WebSocket::new(shared))),
    }
}

impl<B, H> Future for Connection<B, H>
where
    B: Future<Output = ()>,
    H: Future<Output = Result<(), Problem>>,
{
    type Output = ();

    fn poll(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<()> {
        let mut this = self.project();
        this.wire.shared.lock().asleep = false;
        if !*this.stopping && this.begun.as_mut().poll(task).is_ready() {
            *this.stopping = true;
            this.wire.close(CloseCode::AWAY, "", End::Ours, task);
        }
        let mut handler_may_go_on = true;
        let mut reads = 0;
        for _ in 0..TURNS {
            if handler_may_go_on {
                poll_handler(&mut this.handler, this.wire, this.label, task);
            }
            this.wire.shared.lock().touched = false;
            handler_may_go_on = this.wire.drive(&mut reads, task);
            if this.wire.is_gone() && this.handler.is_none() {
                return Poll::Ready(());
            }
            if handler_may_go_on || poll_timer(&mut this.timer, this.wire, task) {
                handler_may_go_on = true;
                continue;
            }
            if this.wire.sleep(task) {
                return Poll::Pending;
            }
        }
        task.waker().wake_by_ref();
        Poll::Pending
    }
}

fn poll_handler<H>(handler: &mut Pin<&mut Option<H>>, wire: &mut Wire, label: &Label, task: &mut Context<'_>)
where
    H: Future<Output = Result<(), Problem>>,
{
    let Some(running) = handler.as_mut().as_pin_mut() else {
        return;
    };
    // What it leaves broken behind is its own: it is not polled again.
    let outcome = catch_unwind(AssertUnwindSafe(|| running.poll(task)));
    let code = match outcome {
        Ok(Poll::Pending) => return,
        Ok(Poll::Ready(Ok(()))) => CloseCode::NORMAL,
        Ok(Poll::Ready(Err(problem))) => {
            label.log(&problem);
            CloseCode::ERROR
        }
        Err(panic) => {
            label.log_panic(&*panic);
            CloseCode::ERROR
        }
    };
    handler.set(None);
    wire.close(code, "", End::Ours, task);
}

/// Whether a deadline has passed. Moving the timer costs more than being woken too early now and then: it is moved forward only
/// when it has fired.
fn poll_timer(timer: &mut Pin<&mut Sleep>, wire: &mut Wire, task: &mut Context<'_>) -> bool {
    let mut passed = false;
    while let Some(deadline) = wire.deadline() {
        if deadline < timer.deadline() || timer.is_elapsed() {
            timer.as_mut().reset(deadline);
        }
        if timer.as_mut().poll(task).is_pending() {
            break;
        }
        passed |= wire.tick(Instant::now(), task);
    }
    passed
}

impl Label {
    /// Says why a handler ended, unless its client did.
    fn log(&self, problem: &Problem) {
        let request_id = self.request_id.as_deref().unwrap_or("-");
        let route = self.route;
        let clients = problem
            .cause_ref()
            .and_then(|cause| cause.downcast_ref::<Error>())
            .is_some_and(|error| error.kind() != ErrorKind::Unwritable);
        if clients {
            tracing::debug!(target: "polywire", request_id, route, cause = ?problem, "WebSocket ended");
        } else {
            tracing::error!(target: "polywire", request_id, route, cause = ?problem, "WebSocket failed");
        }
    }

    fn log_panic(&self, panic: &(dyn Any + Send)) {
        let request_id = self.request_id.as_deref().unwrap_or("-");
        let route = self.route;
        let text = panic.downcast_ref::<&str>().copied();
        let cause = text
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("?");
        tracing::error!(target: "polywire", request_id, route, cause, "WebSocket panicked");
    }
}
