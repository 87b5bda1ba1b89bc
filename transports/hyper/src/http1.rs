//! One HTTP/1 connection: hyper behind the gate, timers beside it.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use http::{HeaderValue, Response, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use pw_core::{RequestHead, Version};
use pw_h1::Refusal;
use pw_server::{AFTERMATH, Abort};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Config;
use crate::clock::{Alarm, Drain, Moment};
use crate::closing;
use crate::content::Content;
use crate::exchange::{self, Service};
use crate::gate::Gate;
use crate::kit::Kit;
use crate::wire::{Request, Wait, Wire, lock};

/// How much of the transcript hyper reads at a time, at most.
const INPUT: usize = 20 * 1024;

/// Serves a connection to its end.
pub(crate) async fn serve<S: Service, I: AsyncRead + AsyncWrite + Abort + Unpin + Send + 'static>(
    wire: Arc<Mutex<Wire<I>>>,
    service: Arc<S>,
    config: Arc<Config>,
    drain: &Drain,
    mut alarm: Alarm,
) {
    let outcome = {
        let (service, shared, config) = (&*service, &*wire, &config);
        let answer = service_fn(move |request: hyper::Request<Incoming>| {
            // Taken now: the next head may be parsed as soon as hyper has this one.
            let accepted = lock(shared)
                .take_request()
                .expect("hyper is handed a head only with its request");
            let exchange = Accepted::new(accepted, request.into_body(), config);
            async move { Ok::<_, Infallible>(exchange.answer(service, shared, config, drain).await) }
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .half_close(true)
            .max_buf_size(INPUT)
            .header_read_timeout(None)
            .serve_connection(Gate(wire.clone()), answer);
        let mut connection = pin!(connection);
        poll_fn(|task| {
            alarm.register(task);
            // Before hyper writes anything: the answer says whether another may follow.
            if drain.has_begun() {
                lock(&wire).draining = true;
            }
            let ended = connection.as_mut().poll(task).is_ready();
            let wire = &mut *lock(&wire);
            poll_beside(wire, ended, &mut alarm, config, task)
        })
        .await
    };
    match outcome {
        Outcome::Close => closing::close(&wire, &config, alarm).await,
        Outcome::Abort => lock(&wire).io.abort(),
    }
}

enum Outcome {
    /// What waits is written, then the connection is closed.
    Close,
    /// The client is gone or does not read.
    Abort,
}

/// What the connection's task does after hyper has done what it can.
fn poll_beside<I: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<I>,
    ended: bool,
    alarm: &mut Alarm,
    config: &Config,
    task: &mut Context<'_>,
) -> Poll<Outcome> {
    if let Poll::Ready(Err(_)) = wire.poll_flush(task) {
        return Poll::Ready(Outcome::Abort);
    }
    if ended {
        return Poll::Ready(Outcome::Close);
    }
    if wire.poll_ahead(task).is_err() {
        return Poll::Ready(Outcome::Abort);
    }
    if wire.draining && wire.is_idle() && wire.output.is_empty() && wire.poll_fill(task).is_ready() {
        // What the client has sent is still served: hyper reads it when it is woken.
        task.waker().wake_by_ref();
        return Poll::Pending;
    }
    let Some((deadline, expired)) = next_deadline(wire, config) else {
        return Poll::Pending;
    };
    ready!(alarm.poll(deadline, task));
    Poll::Ready(match expired {
        Expired::Output => Outcome::Abort,
        Expired::Silence => Outcome::Close,
        Expired::Head => {
            wire.refuse(&Refusal::too_slow());
            Outcome::Close
        }
    })
}

enum Expired {
    /// The client did not take the answer.
    Output,
    /// The client sent nothing, or not the rest of a body nobody needs.
    Silence,
    /// The client began a head and did not end it.
    Head,
}

fn next_deadline<I>(wire: &Wire<I>, config: &Config) -> Option<(Moment, Expired)> {
    let timeouts = &config.timeouts;
    if let Some(since) = wire.stalled {
        return Some((since.after(timeouts.write), Expired::Output));
    }
    match wire.wait {
        Wait::Nothing => None,
        Wait::NextRequest(since) if wire.draining => {
            Some((since.after(AFTERMATH.min(timeouts.keep_alive)), Expired::Silence))
        }
        Wait::NextRequest(since) => Some((since.after(timeouts.keep_alive), Expired::Silence)),
        Wait::Drain(since) => Some((since.after(timeouts.body), Expired::Silence)),
        Wait::Head(since) => Some((since.after(timeouts.head), Expired::Head)),
    }
}

/// One request, with the body as hyper has it.
struct Accepted {
    kit: Box<Kit>,
    expects_continue: bool,
}

impl Accepted {
    fn new(request: Request, incoming: Incoming, config: &Arc<Config>) -> Self {
        let Request {
            mut kit,
            declared,
            expects_continue,
        } = request;
        if declared != Some(0) {
            kit.exchange.body.expect(incoming, declared, config);
        }
        Self { kit, expects_continue }
    }

    async fn answer<S: Service, I: AsyncRead + AsyncWrite + Unpin>(
        mut self,
        service: &S,
        wire: &Mutex<Wire<I>>,
        config: &Config,
        drain: &Drain,
    ) -> Response<Content> {
        exchange::route(service, &mut self.kit);
        if let Some(limit) = self.kit.exchange.body.expected_limit() {
            poll_fn(|task| {
                lock(wire).limit_body(limit, task);
                Poll::Ready(())
            })
            .await;
        }
        exchange::run(service, &mut self.kit).await;

        let rest = self.kit.exchange.body.rest();
        let version = self.kit.head.version();
        let close = rest.closes(version, self.expects_continue, &config.limits);
        self.kit.exchange.body.release();
        let reply = &self.kit.exchange.reply;
        let status = reply.status();
        let close = {
            let wire = &mut *lock(wire);
            // hyper writes status, framing and date; the gate puts the fields between.
            wire.fields.extend_from_slice(reply.field_lines());
            wire.abandon_body();
            // Asked now: the signal may have come since this task was last polled.
            close || reply.closes_connection() || drain.has_begun()
        };
        let mut response = Response::new(Content::of(self.kit));
        *response.status_mut() = status;
        match version {
            _ if !close => {}
            // hyper would add `keep-alive` to a `close` where the client asked for it. An answer of this version that says neither
            // closes.
            Version::Http10 => *response.version_mut() = http::Version::HTTP_10,
            _ => {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
        }
        response
    }
}
