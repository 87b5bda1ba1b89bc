//! Handlers whose bodies come or leave over time, `/flow/{name}`: streams that end well, badly or not at all, files, pieces of bodies,
//! connections that leave HTTP.

use std::collections::VecDeque;
use std::fs::File;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use pw_core::{
    Body, BoxError, ContentSource, ContentStream, Exchange, FieldValue, FilePart, OpenFile, Path, Problem, RequestHead,
    Respond, Stopping, Trailers, Upgrade, codegen,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Semaphore;

use crate::application::{Application, Event};
use crate::client::{Client, chunk, chunking, declaring, post};
use crate::transport::{Down, PATIENCE, Settings, Transport};

/// The size of `/flow/file`.
pub const FILE: usize = 3 << 20;
/// Of a large piece.
pub const PIECE: usize = 300 << 10;

/// What the handlers here leave behind for a test to see.
#[derive(Debug, Default)]
pub struct Flow {
    /// Bytes that endless streams have given.
    given: Arc<AtomicU64>,
    /// Bytes of bodies that were taken piece by piece.
    taken: AtomicU64,
    /// What `/flow/file` answers with, open for writing.
    file: Mutex<Option<(File, Arc<OpenFile>)>>,
}

impl Flow {
    /// Bytes that endless streams have given.
    pub fn given(&self) -> u64 {
        self.given.load(Ordering::SeqCst)
    }

    /// Bytes of bodies that were taken piece by piece.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::SeqCst)
    }

    /// Cuts the file short.
    pub fn shrink_file(&self) {
        let file = self.file.lock().expect("no test panics with it");
        let (file, _) = file.as_ref().expect("it was asked for");
        file.set_len(1).expect("it is open for writing");
    }

    /// Writes zeros over the file, and leaves its length.
    pub fn overwrite_file(&self) {
        use std::os::unix::fs::FileExt;
        let file = self.file.lock().expect("no test panics with it");
        let (file, _) = file.as_ref().expect("it was asked for");
        file.write_all_at(&vec![0; FILE], 0).expect("it is open for writing");
    }

    /// The file that all answers of a server are made of. `copied`: as the first of them says.
    fn file(&self, copied: bool) -> std::io::Result<Arc<OpenFile>> {
        let mut file = self.file.lock().expect("no test panics with it");
        if let Some((_, open)) = &*file {
            return Ok(open.clone());
        }
        let name = format!("pw-suite-{}-{:p}", std::process::id(), self);
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content(FILE))?;
        let writable = File::options().write(true).open(&path);
        let open = File::open(&path);
        // Before it is looked at: losing its name changes a file.
        std::fs::remove_file(&path)?;
        let (writable, open) = (writable?, OpenFile::new(open?)?);
        let open = Arc::new(if copied { open.copied() } else { open });
        *file = Some((writable, open.clone()));
        Ok(open)
    }
}

/// Bytes that tell when a part is missing: 251 is prime.
pub fn content(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at % 251) as u8).collect()
}

/// Runs the handler of that name.
pub async fn run<E: Upgrade>(application: &Application, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let Path(name): Path<&str> = codegen::head(head)?;
    let flow = &application.flow;
    let data = |text: &'static str| Step::Data(Bytes::from_static(text.as_bytes()));
    let (length, steps) = match name {
        "words" => (None, vec![data("some"), data(""), data("words")]),
        "nothing" => (None, vec![]),
        "sized" => (Some(9), vec![data("some"), data("words")]),
        "short" => (Some(10), vec![data("some"), data("words")]),
        "long" => (Some(8), vec![data("some"), data("words")]),
        "fail" => (None, vec![data("some"), Step::Fail]),
        "sized-fail" => (Some(9), vec![data("some"), data("words"), Step::Fail]),
        "sized-late" => (Some(9), vec![data("some"), data("words"), Step::Wait, Step::Fail]),
        "panic" => (None, vec![data("some"), Step::Panic]),
        "ticks" => (
            None,
            vec![data("one"), Step::Wait, data("two"), Step::Wait, data("three")],
        ),
        "large" => {
            let piece = || Step::Data(content(PIECE).into());
            (None, vec![piece(), data("between"), piece()])
        }
        "endless" => (None, vec![Step::Endless(content(10_000).into())]),
        "until-stopping" => (None, vec![data("some"), Step::Stopping, data("words")]),
        "trailers" => (None, vec![data("some"), Step::Trailers]),
        "file" | "file-copied" => {
            let file = flow.file(name == "file-copied").map_err(Problem::internal)?;
            cx.reply().set_file(FilePart::whole(file));
            return Ok(());
        }
        "file-part" => {
            let file = flow.file(false).map_err(Problem::internal)?;
            cx.reply().set_file(FilePart::new(file, 1000, 50));
            return Ok(());
        }
        "trailers-read" | "trailers-pieces" | "trailers-early" => return trailers(name, head, cx).await,
        "pieces" | "first" | "read-late" => return pieces(application, name, cx).await,
        "read-first" => {
            let (body, reply) = cx.split();
            let whole = body.read(usize::MAX).await?.to_vec();
            let again = body.chunk().await?.map(<[u8]>::to_vec);
            assert_eq!(again.unwrap_or_default(), whole, "what was read comes once more");
            assert_eq!(body.chunk().await?, None, "and then its end");
            return body.read(usize::MAX).await?.respond(reply);
        }
        "upgrade" => {
            cx.reply()
                .insert(http::header::UPGRADE, FieldValue::from_static("shout"));
            cx.upgrade(async |mut stream| {
                let mut text = [0; 100];
                while let Ok(count @ 1..) = stream.read(&mut text).await {
                    text[..count].make_ascii_uppercase();
                    if stream.write_all(&text[..count]).await.is_err() {
                        break;
                    }
                }
            });
            return Ok(());
        }
        _ => return Err(Problem::not_found()),
    };
    cx.reply().set_stream(ContentStream::from_source(Source {
        steps: steps.into(),
        length,
        waits: None,
        permits: application.permits(),
        events: application.events(),
        given: flow.given.clone(),
        stopping: None,
    }));
    Ok(())
}

/// Counts the pieces of the body.
async fn pieces<E: Exchange>(application: &Application, name: &str, cx: &mut E) -> Result<(), Problem> {
    let (body, reply) = cx.split();
    let mut digest = 0u64;
    let mut bytes = 0u64;
    while let Some(piece) = body.chunk().await? {
        assert!(!piece.is_empty(), "a piece is something");
        bytes += piece.len() as u64;
        digest = piece.iter().fold(digest, |digest, &byte| {
            digest.wrapping_mul(31).wrapping_add(byte.into())
        });
        application.flow.taken.fetch_add(piece.len() as u64, Ordering::SeqCst);
        if name == "first" {
            application.pause().await;
        }
    }
    assert_eq!(body.chunk().await?, None, "the end stays");
    if name == "read-late" {
        body.read(usize::MAX).await?;
    }
    format!("{bytes} {digest}").respond(reply)
}

/// What stands behind the body, once it has ended.
async fn trailers<E: Exchange>(name: &str, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let (body, reply) = cx.split();
    assert!(body.trailers().is_empty(), "nothing has come");
    match name {
        "trailers-read" => {
            body.read(usize::MAX).await?;
        }
        "trailers-early" => {
            body.chunk().await?;
            assert!(body.trailers().is_empty(), "it has not ended");
            return "early".respond(reply);
        }
        _ => {
            while body.chunk().await?.is_some() {
                assert!(body.trailers().is_empty(), "it has not ended");
            }
        }
    }
    let told = |trailers: &Trailers| -> String {
        let line = |(name, value): (&[u8], &[u8])| format!("{}={};", name.escape_ascii(), value.escape_ascii());
        trailers.fields().map(line).collect()
    };
    let first = told(body.trailers());
    let again = match name {
        "trailers-read" => body.read(usize::MAX).await.map(|_| ()),
        _ => body.chunk().await.map(|piece| assert_eq!(piece, None)),
    };
    again?;
    assert_eq!(told(body.trailers()), first, "they stay");
    assert_eq!(head.field("x-late"), None, "they are no part of the head");
    first.respond(reply)
}

/// What `/flow/pieces` says of a body.
pub fn digest(body: &[u8]) -> String {
    let digest = body
        .iter()
        .fold(0u64, |digest, &byte| digest.wrapping_mul(31).wrapping_add(byte.into()));
    format!("{} {digest}", body.len())
}

/// What a stream does next.
enum Step {
    Data(Bytes),
    /// Waits until the test lets it go on.
    Wait,
    /// Waits until the server goes down.
    Stopping,
    Fail,
    Panic,
    Trailers,
    /// The same again and again.
    Endless(Bytes),
}

/// A stream that does as it is told.
struct Source {
    steps: VecDeque<Step>,
    length: Option<u64>,
    waits: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
    permits: Arc<Semaphore>,
    events: mpsc::Sender<Event>,
    given: Arc<AtomicU64>,
    stopping: Option<Stopping>,
}

impl Source {
    fn waiting(&self, stopping: bool) -> Pin<Box<dyn Future<Output = ()> + Send + Sync>> {
        if stopping {
            return Box::pin(
                self.stopping
                    .as_ref()
                    .expect("a stream is begun before it is polled")
                    .begun(),
            );
        }
        let _ = self.events.send(Event::Paused);
        let permits = self.permits.clone();
        Box::pin(async move {
            let permit = permits.acquire().await;
            permit.expect("the semaphore is never closed").forget();
        })
    }
}

impl http_body::Body for Source {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        loop {
            match this.steps.front() {
                None => return Poll::Ready(None),
                Some(Step::Endless(bytes)) => {
                    this.given.fetch_add(bytes.len() as u64, Ordering::SeqCst);
                    return Poll::Ready(Some(Ok(Frame::data(bytes.clone()))));
                }
                Some(wait @ (Step::Wait | Step::Stopping)) => {
                    let stopping = matches!(wait, Step::Stopping);
                    let waits = match &mut this.waits {
                        Some(waits) => waits,
                        None => {
                            let waits = this.waiting(stopping);
                            this.waits.insert(waits)
                        }
                    };
                    ready!(waits.as_mut().poll(task));
                    this.waits = None;
                }
                Some(_) => {}
            }
            match this.steps.pop_front() {
                Some(Step::Data(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                Some(Step::Fail) => return Poll::Ready(Some(Err("a secret of the server's".into()))),
                Some(Step::Panic) => std::panic::resume_unwind(Box::new("this stream always does")),
                Some(Step::Trailers) => {
                    let mut trailers = http::HeaderMap::new();
                    trailers.insert("x-digest", http::HeaderValue::from_static("1"));
                    trailers.insert(http::header::CONTENT_LENGTH, http::HeaderValue::from_static("1"));
                    return Poll::Ready(Some(Ok(Frame::trailers(trailers))));
                }
                _ => {}
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl ContentSource for Source {
    fn begin(mut self: Pin<&mut Self>, stopping: &Stopping) {
        assert!(self.stopping.replace(stopping.clone()).is_none(), "it is told once");
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        if !self.steps.is_empty() {
            // A test that has ended listens no more.
            let _ = self.events.send(Event::Cancelled);
        }
    }
}

/// A chunked body with these lines behind it.
fn trailed(path: &str, body: &[u8], trailers: &str) -> Vec<u8> {
    let end = format!("0\r\n{trailers}\r\n").into_bytes();
    [chunking(path), chunk(body), end].concat()
}

fn trailers_of_requests(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    for (lines, told) in [
        ("X-Sum: 7\r\n", "x-sum=7;"),
        ("b: 1\r\nx-late:2\r\nB:  3 \r\n", "b=1;b=3;x-late=2;"),
        ("", ""),
        // Of those that are left out there is nothing else to see.
        (
            "Content-Length: 9\r\nTransfer-Encoding: chunked\r\nHost: other\r\nAuthorization: a\r\netag: a\r\n",
            "etag=a;",
        ),
    ] {
        for path in ["/flow/trailers-read", "/flow/trailers-pieces"] {
            client.send(trailed(path, b"body", lines));
            // What the next has none of must not be that of the last.
            client.send([trailed(path, b"body", ""), post(path, b"body"), post(path, b"")].concat());
            assert_eq!(
                String::from_utf8_lossy(&client.response().body),
                told,
                "{path} {lines:?}"
            );
            for _ in 0..3 {
                assert_eq!(client.response().body, b"", "{path} {lines:?}");
            }
        }
    }
    client.expect_alive();
}

/// However they come.
fn trailers_in_pieces(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    let long = "v".repeat(7000);
    for (lines, told) in [
        ("a: b\r\nc: d\r\n".to_owned(), "a=b;c=d;".to_owned()),
        (format!("a: {long}\r\nb: c\r\n"), format!("a={long};b=c;")),
    ] {
        for path in ["/flow/trailers-read", "/flow/trailers-pieces"] {
            let request = trailed(path, b"body", &lines);
            let step = request.len().div_ceil(100);
            request.chunks(step).for_each(|piece| client.send(piece));
            assert_eq!(String::from_utf8_lossy(&client.response().body), told, "{path}");
        }
    }
    client.expect_alive();
}

/// A handler that asks for no more gets none, and what comes of them is not taken for the next request.
fn trailers_of_nobody(transport: Transport) {
    let server = transport.start();
    for path in ["/flow/trailers-early", "/no-such-path"] {
        let mut client = Client::to(&server);
        client.send([chunking(path), chunk(b"body")].concat());
        if path != "/no-such-path" {
            assert_eq!(client.response().body, b"early");
            continue;
        }
        assert_eq!(client.response().status, 404);
        client.send("0\r\nX: GET / HTTP/1.1\r\n\r\n");
        client.send(trailed("/flow/trailers-read", b"body", "a: b\r\n"));
        assert_eq!(client.response().body, b"a=b;", "{path}");
    }
}

/// What is wrong with them is wrong with the body.
fn broken_trailers(transport: Transport) {
    let server = transport.start_with(Settings::limits(|limits| limits.trailers = 100));
    for path in ["/flow/trailers-read", "/flow/trailers-pieces"] {
        for (lines, status) in [
            ("a: b\r\nc\r\n".to_owned(), 400),
            ("a: b\r\n c: d\r\n".to_owned(), 400),
            ("a: \0\r\n".to_owned(), 400),
            (format!("a: {}\r\n", "b".repeat(100)), 431),
        ] {
            let mut client = Client::sending(&server, trailed(path, b"body", &lines));
            assert_eq!(client.response().status, status, "{path} {lines:?}");
            client.expect_close();
        }
        let mut client = Client::sending(&server, [chunking(path), b"0\r\na: b\r\n".to_vec()].concat());
        client.half_close();
        assert_eq!(client.response().status, 400, "{path}: cut short");
        let mut client = Client::sending(&server, [declaring(path, 4), b"body".to_vec()].concat());
        assert_eq!(client.response().body, b"");
        client.expect_alive();
    }
}

/// Of a client that waits for nothing there is nothing to wait for: the process need not stay until it closes, too.
fn idle_at_shutdown(transport: Transport) {
    let server = transport.start_with(Settings::timeouts(|timeouts| timeouts.linger = 10 * PATIENCE));
    let mut idle = Client::to(&server);
    idle.expect_alive();
    server.stop();
    assert_eq!(server.down_within(PATIENCE), Some(Down::Whole));
    idle.expect_close();
}

on_every_transport! {
    idle_at_shutdown, trailers_of_requests, trailers_in_pieces, trailers_of_nobody, broken_trailers,
}
