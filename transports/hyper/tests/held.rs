//! What an HTTP/2 connection holds for a client that lets nothing through, or reads nothing, counted. The client is bytes: it must
//! not be counted, too.

use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use allocation_counter::measure;
use bytes::Bytes;
use http_body::Frame;
use pw_core::route::Node;
use pw_core::{BoxError, ContentSource, ContentStream, FilePart, OpenFile, Problem, RequestHead, Stopping, Table};
use pw_hyper::{Config, Exchange, Head, Service, serve_connection};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::Runtime;

static ROOT: Node = Node::new();
static TABLE: Table = Table::new(&[], &ROOT, &[]);

const STREAMS: u32 = 100;
const FILE: usize = 1 << 20;
/// The size of a piece of a stream.
const PIECE: usize = 10_000;

struct App {
    file: Arc<OpenFile>,
    /// Pieces that streams were asked for.
    asked: Arc<AtomicUsize>,
}

impl App {
    fn new() -> Arc<Self> {
        let mut file = tempfile::tempfile().expect("there is room");
        file.write_all(&vec![b'x'; FILE]).expect("there is room");
        Arc::new(Self {
            file: Arc::new(OpenFile::new(file).expect("it is a file")),
            asked: Arc::default(),
        })
    }
}

impl Service for App {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        let (_, reply) = pw_core::Exchange::split(cx);
        match head.path() {
            "/file" => reply.set_file(FilePart::whole(self.file.clone())),
            _ => reply.set_stream(ContentStream::from_source(Endless(self.asked.clone()))),
        }
        Ok(())
    }
}

struct Endless(Arc<AtomicUsize>);

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; PIECE])))))
    }
}

impl ContentSource for Endless {
    fn begin(self: Pin<&mut Self>, _: &Stopping) {}
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = &(payload.len() as u32).to_be_bytes()[1..];
    [length, &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// All that a client says: its windows, for each stream and for the connection, and a request for each stream.
fn requests(path: &str, window: u32) -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend(frame(4, 0, 0, &[&[0, 4][..], &window.to_be_bytes()].concat()));
    bytes.extend(frame(8, 0, 0, &(1u32 << 30).to_be_bytes()));
    // `GET` and `http` are in HPACK's table, the others are literals of it.
    let mut block = vec![0x82, 0x86, 0x04, path.len() as u8];
    block.extend_from_slice(path.as_bytes());
    block.extend_from_slice(b"\x01\x01x");
    bytes.extend((0..STREAMS).flat_map(|at| frame(1, 5, 1 + 2 * at, &block)));
    bytes
}

/// Lets the server do all it can, on this thread.
async fn settle() {
    for _ in 0..2_000 {
        tokio::task::yield_now().await;
    }
}

/// A connection on which a client has said all of that.
fn open(runtime: &Runtime, app: &Arc<App>, said: &[u8]) -> DuplexStream {
    runtime.block_on(async {
        let (mut client, io) = tokio::io::duplex(64 << 10);
        let peer = ([127, 0, 0, 1], 1).into();
        tokio::spawn(serve_connection(io, peer, app.clone(), Arc::new(Config::default())));
        client.write_all(said).await.expect("it is read");
        settle().await;
        client
    })
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// A hundred files to a client without a window, with one of a byte, and with large ones of which it reads nothing.
#[test]
fn a_hundred_files_are_held_in_little_memory() {
    let app = App::new();
    for window in [0, 1, 1 << 30] {
        // One for each: what the last one held is not freed while this one is counted.
        let runtime = runtime();
        let mut client = None;
        let held = measure(|| client = Some(open(&runtime, &app, &requests("/file", window)))).bytes_current;
        // The pipe may hold 64 KiB, all streams together 128, each of them 2, and one without content is some 4.
        assert!(held < 900 << 10, "{held} bytes, window {window}");
        assert!(held > 300 << 10, "{held} bytes, window {window}: they are not open");
    }
}

/// A stream is asked for little more than what is sent.
#[test]
fn a_hundred_streams_are_asked_for_little() {
    let runtime = runtime();
    for window in [0, 1, 1 << 30] {
        let app = App::new();
        let _client = open(&runtime, &app, &requests("/endless", window));
        let asked = app.asked.load(Ordering::Relaxed);
        // What the pipe has taken, what all may hold, and the one piece of each.
        let most = (64 << 10) / PIECE + (128 << 10) / PIECE + 2 * STREAMS as usize;
        assert!((STREAMS as usize..=most).contains(&asked), "{asked}, window {window}");
    }
}

/// What waits for room goes on when there is some.
#[test]
fn they_all_arrive_once_they_are_read() {
    let (runtime, app) = (runtime(), App::new());
    let mut client = open(&runtime, &app, &requests("/file", 1 << 30));
    runtime.block_on(async {
        let (mut come, mut ended, mut header) = (0, 0, [0; 9]);
        while ended < STREAMS {
            client.read_exact(&mut header).await.expect("the connection stays");
            let length = u32::from_be_bytes([0, header[0], header[1], header[2]]) as usize;
            let mut payload = vec![0; length];
            client.read_exact(&mut payload).await.expect("the connection stays");
            if header[3] == 0 {
                come += length;
                ended += u32::from(header[4] & 1);
            }
        }
        assert_eq!(come, FILE * STREAMS as usize);
    });
}
