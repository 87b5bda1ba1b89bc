//! One exchange on hyper: the transport's head, body and reply, and the way from a routed head to hyper's response.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body::{Frame, SizeHint};
use pw_core::{HeadBuffer, Problem, Reply, ReplyField, RequestHead, Table, recover::Catch};

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
        Ok(Err(problem)) => problem.write(&mut exchange.reply),
        Err(panic) => panic.answer(head, &mut exchange.reply),
    }
}

/// hyper's response of a complete reply. `fields` is an empty map to fill; hyper keeps it for its next message.
pub(crate) fn response(reply: &mut Reply, mut fields: HeaderMap) -> Response<Content> {
    for (name, value) in reply.raw_fields() {
        let value = match value {
            ReplyField::Static(text) => HeaderValue::from_static(text),
            ReplyField::Borrowed(bytes) => {
                HeaderValue::from_bytes(bytes).expect("a reply's values are checked when they are set")
            }
        };
        fields.append(name, value);
    }
    let content = match reply.status() {
        StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED => Bytes::new(),
        _ => reply.take_content(),
    };
    let mut response = Response::new(Content(content));
    *response.status_mut() = reply.status();
    *response.headers_mut() = fields;
    response
}

/// Says in HTTP/1 that the connection closes after this response.
pub(crate) fn say_close(response: &mut Response<Content>) {
    response
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
}

/// How much of a large answer hyper copies at a time, so that a client that does not read holds no more.
pub(crate) const FRAME: usize = 32 * 1024;

/// The content of an answer: one frame, or several of [`FRAME`] bytes.
pub(crate) struct Content(Bytes);

impl http_body::Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let length = self.0.len().min(FRAME);
        let frame = if length == self.0.len() {
            std::mem::take(&mut self.0)
        } else {
            self.0.split_to(length)
        };
        Poll::Ready((!frame.is_empty()).then(|| Ok(Frame::data(frame))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}
