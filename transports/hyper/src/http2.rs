//! One HTTP/2 connection: hyper and `h2` do the framing; heads are judged by the same rules as HTTP/1's.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use hyper::body::Incoming;
use hyper::ext::Protocol;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use pw_core::problem::kind;
use pw_core::{Problem, Span, UpgradeTask, Version};
use pw_h1::Refusal;
use pw_server::Abort;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;

use crate::Config;
use crate::clock::{Alarm, Drain, Moment};
use crate::content::{Content, KEPT};
use crate::exchange::{self, Service};
use crate::input::Input;
use crate::kit::Kit;
use crate::tunnel::{self, Kept};
use crate::turns::{Turn, Turns};

/// Bytes of a request body one stream may send before it is read.
const STREAM_WINDOW: u32 = 64 * 1024;
/// The same for a connection.
const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// Bytes of an answer that a stream may hold before the socket takes them, and a piece more.
const SEND_BUFFER: usize = 64 * 1024;

/// Whether the preface is followed by a whole frame, which must be the client's SETTINGS (RFC 9113 3.4); `h2` judges what it
/// is. A frame longer than any SETTINGS is not waited for.
pub(crate) fn has_settings(input: &[u8]) -> bool {
    const PREFACE: usize = 24;
    const HEADER: usize = 9;
    const LONGEST: usize = 1024;
    match input.get(PREFACE..PREFACE + 3) {
        Some(&[a, b, c]) => {
            let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
            length > LONGEST || input.len() >= PREFACE + HEADER + length
        }
        _ => false,
    }
}

/// Serves a connection to its end. `input` begins with the preface and the client's SETTINGS.
pub(crate) async fn serve<S: Service, I: AsyncRead + AsyncWrite + Abort + Unpin + Send + 'static>(
    io: I,
    input: Input,
    peer: SocketAddr,
    service: Arc<S>,
    config: Arc<Config>,
    drain: &Drain,
    mut alarm: Alarm,
) {
    let stalled = Arc::new(Mutex::new(None));
    let turns = Turns::new();
    let (alive, mut upgraded) = mpsc::channel(1);
    {
        let answer = service_fn(|request| {
            let (service, config) = (service.clone(), config.clone());
            let kept = Kept {
                peer,
                config,
                turn: Turn::begin(&turns),
                alive: alive.clone(),
            };
            async move { Ok::<_, Infallible>(answer(&*service, kept, request).await) }
        });
        let connection = hyper::server::conn::http2::Builder::new(Spawn)
            .max_concurrent_streams(config.limits.http2_streams)
            .max_header_list_size(config.limits.head as u32)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_send_buf_size(SEND_BUFFER)
            .enable_connect_protocol()
            .serve_connection(
                Socket {
                    io,
                    input,
                    stalled: stalled.clone(),
                },
                answer,
            );
        let mut connection = pin!(connection);
        // What came before does not count as idle.
        let mut idle_from = Moment::now();
        let mut leaving = false;
        poll_fn(|task| {
            alarm.register(task);
            loop {
                if connection.as_mut().poll(task).is_ready() {
                    return Poll::Ready(());
                }
                if drain.has_begun() && !leaving {
                    leaving = true;
                    connection.as_mut().graceful_shutdown();
                    continue;
                }
                let idle = turns.theirs_since().map(|since| since.max(idle_from));
                // A client that takes nothing more, or that has gone on for too long after GOAWAY, is cut.
                let cut = [
                    *stalled.lock().unwrap_or_else(PoisonError::into_inner),
                    idle.filter(|_| leaving),
                ];
                if let Some(since) = cut.into_iter().flatten().min() {
                    ready!(alarm.poll(since.after(config.timeouts.write), task));
                    return Poll::Ready(());
                }
                let Some(since) = idle else { return Poll::Pending };
                ready!(alarm.poll(since.after(config.timeouts.keep_alive), task));
                (leaving, idle_from) = (true, Moment::now());
                connection.as_mut().graceful_shutdown();
            }
        })
        .await;
    }
    // What has left HTTP is told by its stream that the connection is gone.
    drop(alive);
    upgraded.recv().await;
}

/// One stream.
async fn answer<S: Service>(service: &S, kept: Kept, mut request: hyper::Request<Incoming>) -> Response<Content> {
    let protocol = request.extensions_mut().remove::<Protocol>();
    let offered = protocol.as_ref().map(|_| hyper::upgrade::on(&mut request));
    let (mut parts, incoming) = request.into_parts();
    let config = &kept.config;
    let mut kit = Kit::take();
    match fill(&mut kit, &parts, protocol.as_ref(), config) {
        Ok(()) => {
            kit.head.set_peer(kept.peer);
            let declared = http_body::Body::size_hint(&incoming).exact();
            kit.exchange.body.expect(incoming, declared, config);
            exchange::route(service, &mut kit);
            exchange::run(service, &mut kit).await;
        }
        Err(refusal) => refusal.problem().write(&mut kit.exchange.reply),
    }
    parts.headers.clear();
    kit.exchange.body.release();
    if let Some(upgraded) = upgrade(&mut kit, offered) {
        let response = response(kit, parts.headers, |kit| {
            kit.give_back();
            Content::none()
        });
        tunnel::spawn(upgraded, kept);
        return response;
    }
    let is_head = parts.method == http::Method::HEAD;
    let Kept { config, turn, .. } = kept;
    let mut response = response(kit, parts.headers, |mut kit| {
        let taken = kit.exchange.reply.take_content(KEPT);
        Content::of(kit, taken, &config.stopping, Some(turn))
    });
    if is_head {
        // hyper leaves it out of HTTP/1's answers by itself (RFC 9110 9.3.2).
        let length = http_body::Body::size_hint(response.body()).exact();
        if let Some(length @ 1..) = length {
            response
                .headers_mut()
                .insert(http::header::CONTENT_LENGTH, length.into());
        }
        *response.body_mut() = Content::none();
    }
    response
}

/// What a stream is upgraded to: then the reply is what it is answered with.
fn upgrade(kit: &mut Kit, offered: Option<OnUpgrade>) -> Option<(OnUpgrade, UpgradeTask)> {
    let reply = &mut kit.exchange.reply;
    let problem = match (offered, reply.take_upgrade()) {
        (None, None) => return None,
        (Some(offered), Some(task)) => {
            // 101 and its field are of HTTP/1 alone (RFC 8441 4).
            reply.set_status(StatusCode::OK);
            reply.remove(&http::header::UPGRADE);
            return Some((offered, task));
        }
        // Any success would open the tunnel.
        (Some(_), None) if !reply.status().is_success() => return None,
        (Some(_), None) => Problem::of(&kind::NOT_IMPLEMENTED).detail("nothing here speaks this protocol"),
        (None, Some(_)) => Problem::bad_request("the request offers no other protocol"),
    };
    problem.answer(&kit.head, reply);
    None
}

/// hyper's response of a complete reply. `fields` is an empty map to fill.
fn response(kit: Box<Kit>, mut fields: HeaderMap, content: impl FnOnce(Box<Kit>) -> Content) -> Response<Content> {
    let reply = &kit.exchange.reply;
    let status = reply.status();
    for (name, value) in reply.fields() {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a reply's names are names");
        let value = HeaderValue::from_bytes(value).expect("a reply's values are checked when they are set");
        fields.append(name, value);
    }
    let mut response = Response::new(content(kit));
    *response.status_mut() = status;
    *response.headers_mut() = fields;
    response
}

/// Makes a head of hyper's, by the rules of HTTP/1's. Where a `protocol` is offered (RFC 8441) it is that of a `GET` which offers it by
/// `upgrade`, as HTTP/1's does.
fn fill(
    kit: &mut Kit,
    parts: &http::request::Parts,
    protocol: Option<&Protocol>,
    config: &Config,
) -> Result<(), Refusal> {
    let head = &mut kit.head;
    head.clear();
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str());
    if target.len() > config.limits.target {
        return Err(Refusal::new(&kind::URI_TOO_LONG, "the request target is too long"));
    }
    let method = match protocol {
        Some(_) => "GET",
        None => parts.method.as_str(),
    };
    let (path, query) = pw_h1::check_path(method, target)?;
    let span = |range: std::ops::Range<usize>| Span::new(method.len() + range.start, method.len() + range.end);
    head.start(
        Version::Http2,
        &[method, target].concat(),
        Span::new(0, method.len()),
        span(path),
        span(query),
    );

    let mut hosts = parts.headers.get_all(http::header::HOST).iter();
    let host = match (parts.uri.authority(), hosts.next(), hosts.next()) {
        (Some(authority), None, _) => authority.as_str(),
        (Some(authority), Some(host), None) if host.as_bytes().eq_ignore_ascii_case(authority.as_str().as_bytes()) => {
            authority.as_str()
        }
        (None, Some(host), None) => host.to_str().unwrap_or_default(),
        _ => "",
    };
    if host.is_empty() || !pw_h1::is_authority(host.as_bytes()) {
        return Err(Refusal::new(
            &kind::BAD_REQUEST,
            "the :authority is missing, repeated or invalid",
        ));
    }
    head.push_host(host);

    if parts.headers.len() > config.limits.fields {
        return Err(Refusal::new(
            &kind::HEADER_FIELDS_TOO_LARGE,
            "the request has too many fields",
        ));
    }
    // Cookies may come in crumbs (RFC 9113 8.2.3); what reads them expects one field.
    let mut cookies: Vec<&[u8]> = Vec::new();
    for (name, value) in &parts.headers {
        if *name == http::header::COOKIE {
            cookies.push(value.as_bytes());
        } else {
            head.push_field(name.as_str(), value.as_bytes());
        }
    }
    if !cookies.is_empty() {
        head.push_field("cookie", &cookies.join(&b"; "[..]));
    }
    if let Some(protocol) = protocol {
        head.push_field("upgrade", protocol.as_str().as_bytes());
    }
    Ok(())
}

#[derive(Clone)]
struct Spawn;

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for Spawn {
    fn execute(&self, future: F) {
        tokio::spawn(future);
    }
}

/// The socket, with what was read of it to find the protocol. It notes since when it takes no output.
struct Socket<I> {
    io: I,
    input: Input,
    stalled: Arc<Mutex<Option<Moment>>>,
}

impl<I> Socket<I> {
    fn note<T>(&self, written: Poll<T>) -> Poll<T> {
        let mut stalled = self.stalled.lock().unwrap_or_else(PoisonError::into_inner);
        if written.is_ready() {
            *stalled = None;
        } else {
            stalled.get_or_insert_with(Moment::now);
        }
        written
    }
}

impl<I: AsyncRead + Unpin> Read for Socket<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        mut room: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.input.is_empty() && ready!(this.input.poll_fill(Pin::new(&mut this.io), task))? == 0 {
            return Poll::Ready(Ok(()));
        }
        let bytes = this.input.bytes();
        let count = bytes.len().min(room.remaining());
        room.put_slice(&bytes[..count]);
        this.input.consume(count);
        Poll::Ready(Ok(()))
    }
}

impl<I: AsyncWrite + Unpin> Write for Socket<I> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write(task, bytes);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.io).poll_write_vectored(task, slices);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preface_without_its_settings_is_waited_for() {
        let mut start = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        start.extend_from_slice(&[0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100]);
        assert!(has_settings(&start));
        assert!((24..start.len()).all(|length| !has_settings(&start[..length])));
        start[24] = 1;
        assert!(has_settings(&start), "too long for SETTINGS: not waited for");
    }
}
