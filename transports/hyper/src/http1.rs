//! One HTTP/1 connection: hyper behind the gate, timers beside it.

use std::convert::Infallible;
use std::future::{Future, pending, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::SystemTime;

use http::{HeaderValue, Response, header};
use http_body::Body;
use hyper::body::Incoming;
use hyper::service::service_fn;
use pw_core::{RequestHead, UpgradeTask, Version};
use pw_h1::encode::{self, Answer};
use pw_h1::{Refusal, Rest};
use pw_server::{AFTERMATH, Abort};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Config;
use crate::clock::{Alarm, Drain, Moment};
use crate::closing;
use crate::content::{Content, KEPT};
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
            let ended = match connection.as_mut().poll(task) {
                Poll::Pending => None,
                // A file or a stream has broken off. What a stream gave before still arrives, but where the end of the connection would
                // look like that of the content.
                Poll::Ready(Err(error)) if error.is_user() => {
                    let framed = lock(&wire).flow.as_ref().is_some_and(|flow| flow.is_framed());
                    Some(if framed { Outcome::Close } else { Outcome::Abort })
                }
                Poll::Ready(_) => Some(Outcome::Close),
            };
            let wire = &mut *lock(&wire);
            poll_beside(wire, ended, &mut alarm, config, task)
        })
        .await
    };
    match outcome {
        Outcome::Close => closing::close(&wire, &config, alarm).await,
        Outcome::Abort => lock(&wire).io.abort(),
        Outcome::Upgrade => {
            drop((service, config, alarm));
            let wire = Arc::into_inner(wire).map(|wire| wire.into_inner().unwrap_or_else(PoisonError::into_inner));
            if let Some((task, stream)) = wire.and_then(Wire::into_upgrade) {
                task.run(stream).await;
            }
        }
    }
}

enum Outcome {
    /// What waits is written, then the connection is closed.
    Close,
    /// The client is gone or does not read.
    Abort,
    /// Everything is written, and the connection leaves HTTP.
    Upgrade,
}

/// What the connection's task does after hyper has done what it can.
fn poll_beside<I: AsyncRead + AsyncWrite + Unpin>(
    wire: &mut Wire<I>,
    ended: Option<Outcome>,
    alarm: &mut Alarm,
    config: &Config,
    task: &mut Context<'_>,
) -> Poll<Outcome> {
    let flushed = match wire.poll_flush(task) {
        Poll::Ready(Err(_)) => return Poll::Ready(Outcome::Abort),
        flushed => flushed.is_ready(),
    };
    if let Some(outcome) = ended {
        return Poll::Ready(outcome);
    }
    if flushed && wire.upgrade.is_some() {
        return Poll::Ready(Outcome::Upgrade);
    }
    if wire.poll_ahead(task).is_err() || wire.is_forsaken() {
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
            trailers,
        } = request;
        if declared != Some(0) {
            kit.exchange.body.expect(incoming, declared, config);
            kit.exchange.body.expect_trailers(trailers);
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
        if let Some(task) = self.kit.exchange.reply.take_upgrade() {
            match rest {
                Rest::Nothing => {
                    upgrade(self.kit, task, wire);
                    return pending().await;
                }
                // What comes of it could not be told from what the other protocol begins with.
                _ => {
                    let Kit { head, exchange } = &mut *self.kit;
                    exchange.refuse_upgrade(head);
                }
            }
        }
        let version = self.kit.head.version();
        let taken = self.kit.exchange.reply.take_content(KEPT);
        let mut close = rest.closes(version, self.expects_continue, &config.limits);
        if version == Version::Http10
            && let Some(pw_core::Content::Stream(stream)) = &taken
        {
            // Nothing else tells where such an answer ends.
            close |= stream.size_hint().exact().is_none() && self.kit.head.method() != "HEAD";
        }
        self.kit.exchange.body.release();
        let reply = &self.kit.exchange.reply;
        let status = reply.status();
        let close = {
            let wire = &mut *lock(wire);
            // hyper writes status, framing and date; the gate puts the fields between.
            wire.fields.extend_from_slice(reply.field_lines());
            if reply.offers_upgrade() {
                wire.fields.extend_from_slice(encode::UPGRADED);
            }
            wire.abandon_body();
            wire.flow = None;
            // Asked now: the signal may have come since this task was last polled.
            close || reply.closes_connection() || drain.has_begun()
        };
        let content = Content::of(self.kit, taken, &config.stopping, None);
        if let Some(flow) = content.flow() {
            lock(wire).flow = Some(flow.clone());
        }
        let mut response = Response::new(content);
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

/// Answers with 101, which hyper is not told of: its part ends here, as soon as that is written.
#[cold]
fn upgrade<I>(kit: Box<Kit>, task: UpgradeTask, wire: &Mutex<Wire<I>>) {
    let answer = Answer {
        version: kit.head.version(),
        to_head: false,
        keep_alive: true,
        content: encode::Content::Sized(0),
    };
    let wire = &mut *lock(wire);
    let date = encode::http_date(SystemTime::now());
    encode::write_head(wire.output.buffer(), &kit.exchange.reply, &answer, &date);
    wire.upgrade = Some(task);
    kit.give_back();
}
