//! An application over a pipe: what each path does is in [`App::call`], and what it saw goes to the test.

use std::fs::File;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pw_core::route::Node;
use pw_core::{
    BoxError, ContentSource, ContentStream, Exchange as _, FieldValue, FilePart, OpenFile, Problem, RequestHead,
    Stopping, Table, Upgrade, Upgraded, Version,
};
use pw_hyper::{Config, Exchange, Head, Service, serve_connection};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc;

/// More than any step takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

static ROOT: Node = Node::new();
static TABLE: Table = Table::new(&[], &ROOT, &[]);

/// The size of a piece of `/endless`.
pub(crate) const PIECE: usize = 10_000;

/// What `/file` answers with: more than a piece.
pub(crate) const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");

/// What a test is told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A stream is asked for more.
    Asked,
    /// A stream was dropped before its end.
    Dropped,
    /// What a connection was upgraded to has ended.
    Left,
    /// A handler had a piece of this length.
    Piece(usize),
}

/// See the module.
pub(crate) struct App {
    told: mpsc::UnboundedSender<Event>,
}

/// A connection to an application.
pub(crate) struct Served {
    pub(crate) client: DuplexStream,
    pub(crate) events: mpsc::UnboundedReceiver<Event>,
    pub(crate) stopping: Stopping,
    pub(crate) task: tokio::task::JoinHandle<()>,
}

/// Serves over a pipe that holds `room` bytes.
pub(crate) fn serve(room: usize, config: Config) -> Served {
    let (told, events) = mpsc::unbounded_channel();
    let (client, io) = tokio::io::duplex(room);
    let stopping = config.stopping.clone();
    let peer = ([127, 0, 0, 1], 1).into();
    let task = tokio::spawn(serve_connection(io, peer, Arc::new(App { told }), Arc::new(config)));
    Served {
        client,
        events,
        stopping,
        task,
    }
}

impl Served {
    /// The next event.
    pub(crate) async fn event(&mut self) -> Event {
        let event = tokio::time::timeout(PATIENCE, self.events.recv()).await;
        event.expect("it is told in time").expect("the connection is served")
    }

    /// The end of the connection.
    pub(crate) async fn over(self) {
        drop(self.client);
        let over = tokio::time::timeout(PATIENCE, self.task).await;
        over.expect("it ends in time").expect("it does not panic");
    }
}

impl Service for App {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        let data = |bytes: &[u8]| Frame::data(Bytes::copy_from_slice(bytes));
        let trailers = || {
            let mut trailers = http::HeaderMap::new();
            trailers.insert("x-digest", http::HeaderValue::from_static("1"));
            trailers.insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static("a/b"));
            Frame::trailers(trailers)
        };
        let (length, frames, last) = match head.path() {
            "/words" => (None, vec![data(b"some"), data(b""), data(b"words")], Last::End),
            "/sized" => (Some(9), vec![data(b"some"), data(b"words")], Last::End),
            "/short" => (Some(10), vec![data(b"some"), data(b"words")], Last::End),
            "/long" => (Some(4), vec![data(b"some"), data(b"words")], Last::End),
            "/trailers" => (None, vec![data(b"some"), trailers()], Last::End),
            "/sized-trailers" => (Some(4), vec![data(b"some"), trailers()], Last::End),
            "/broken" => (None, vec![data(b"some")], Last::Fail),
            "/broken-late" => (None, (0..20).map(|_| data(&[b'x'; 3000])).collect(), Last::Fail),
            "/waiting" => (None, vec![data(b"some")], Last::Wait),
            "/endless" => (None, vec![], Last::Again(vec![b'x'; PIECE].into())),
            "/file" => {
                let file = File::open(FILE)?;
                cx.reply().set_file(FilePart::whole(Arc::new(OpenFile::new(file)?)));
                return Ok(());
            }
            "/pieces" => {
                let (body, reply) = cx.split();
                let mut whole = Vec::new();
                while let Some(piece) = pw_core::Body::chunk(body).await? {
                    let _ = self.told.send(Event::Piece(piece.len()));
                    whole.extend_from_slice(piece);
                }
                reply.set_content(whole);
                return Ok(());
            }
            "/trailing" => {
                let (body, reply) = cx.split();
                while pw_core::Body::chunk(body).await?.is_some() {
                    assert!(pw_core::Body::trailers(body).is_empty(), "it has not ended");
                }
                for (name, value) in pw_core::Body::trailers(body).fields() {
                    reply.buffer().extend_from_slice(&[name, b"=", value, b";"].concat());
                }
                return Ok(());
            }
            "/shout" => {
                let offered = head.field("upgrade") == Some(b"shout");
                let version = if head.version() == Version::Http2 { "2" } else { "1" };
                if !offered || head.method() != "GET" {
                    return Err(Problem::bad_request("it is not offered"));
                }
                cx.reply()
                    .insert(http::header::UPGRADE, FieldValue::from_static("shout"));
                cx.reply()
                    .insert(http::header::SERVER, FieldValue::from_static(version));
                let told = self.told.clone();
                cx.upgrade(move |stream| shout(stream, told));
                return Ok(());
            }
            "/panics" => {
                cx.upgrade(async |_| panic!("a test's"));
                return Ok(());
            }
            "/" => {
                cx.reply().set_content("ok");
                return Ok(());
            }
            _ => return Err(Problem::not_found()),
        };
        cx.reply().set_stream(ContentStream::from_source(Source {
            length,
            frames: frames.into_iter(),
            last: Some(last),
            told: self.told.clone(),
        }));
        Ok(())
    }
}

async fn shout(mut stream: Upgraded, told: mpsc::UnboundedSender<Event>) {
    let mut text = [0; 100];
    let mut stopping = std::pin::pin!(stream.stopping().begun());
    loop {
        tokio::select! {
            count = stream.read(&mut text) => match count {
                Ok(count @ 1..) => {
                    text[..count].make_ascii_uppercase();
                    if stream.write_all(&text[..count]).await.is_err() {
                        break;
                    }
                }
                _ => break,
            },
            () = &mut stopping => {
                let _ = stream.write_all(b"bye").await;
                break;
            }
        }
    }
    let _ = stream.shutdown().await;
    let _ = told.send(Event::Left);
}

/// What comes behind the frames of a stream.
enum Last {
    End,
    Fail,
    Wait,
    Again(Bytes),
}

struct Source {
    length: Option<u64>,
    frames: std::vec::IntoIter<Frame<Bytes>>,
    last: Option<Last>,
    told: mpsc::UnboundedSender<Event>,
}

impl Body for Source {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let _ = self.told.send(Event::Asked);
        if let Some(frame) = self.frames.next() {
            return Poll::Ready(Some(Ok(frame)));
        }
        Poll::Ready(match &self.last {
            Some(Last::Wait) => return Poll::Pending,
            Some(Last::Again(piece)) => Some(Ok(Frame::data(piece.clone()))),
            Some(Last::Fail) => {
                self.last = None;
                Some(Err("secret".into()))
            }
            Some(Last::End) | None => {
                self.last = None;
                None
            }
        })
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl ContentSource for Source {}

impl Drop for Source {
    fn drop(&mut self) {
        if self.last.is_some() {
            let _ = self.told.send(Event::Dropped);
        }
    }
}
