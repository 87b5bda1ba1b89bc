//! A worker's own promises, over pipes on this thread: nothing is allocated per request, and nobody keeps it to himself.

use std::cell::Cell;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use pw_core::route::{Leaf, Node};
use pw_core::{Body, Exchange as _, Limits, Problem, Respond, Route, Table};
use pw_fast::{Config, Exchange, Head, Service, Workers, serve_connection};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::runtime::{Builder, LocalOptions, LocalRuntime};
use tokio::task::{spawn_local, yield_now};

static ROUTES: [Route; 1] = [Route::new("echo", "POST", "/", "echo")];
static ROOT: Node = Node::new().slash(&Leaf::new(&[("POST", 0)]));
static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);

/// Answers with the body.
struct Echo;

impl Service for Echo {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, _: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        let (body, reply) = cx.split();
        body.read(usize::MAX).await?.respond(reply)
    }
}

/// A thread's own runtime, whose tasks go on while something is waited for.
fn runtime() -> LocalRuntime {
    Builder::new_current_thread()
        .enable_time()
        .build_local(LocalOptions::default())
        .expect("a runtime can be built")
}

/// A connection that a worker of its own serves.
fn connect(config: Config) -> DuplexStream {
    let (client, server) = duplex(1 << 20);
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    spawn_local(serve_connection(server, peer, Arc::new(Echo), Arc::new(config)));
    client
}

fn declared(body: &[u8]) -> Vec<u8> {
    let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let mut request = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in body.chunks(1000) {
        request.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        request.extend_from_slice(chunk);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    request
}

/// Sends all at once, and reads answers to all, which take `length` bytes.
async fn exchange(client: &mut DuplexStream, all: &[u8], answers: &mut [u8]) {
    client.write_all(all).await.expect("the server reads");
    client.read_exact(answers).await.expect("the server answers");
}

/// How long the answers to these requests are.
async fn length(all: &[u8]) -> usize {
    let mut client = connect(Config::default());
    client.write_all(all).await.expect("the server reads");
    client.shutdown().await.expect("a pipe can be shut");
    let mut answers = Vec::new();
    client.read_to_end(&mut answers).await.expect("the server answers");
    assert!(
        answers.starts_with(b"HTTP/1.1 200 OK\r\n"),
        "{}",
        answers.escape_ascii()
    );
    answers.len()
}

/// Allocations while a future runs, and with it everything else on this thread.
fn allocations(runtime: &LocalRuntime, run: impl Future<Output = ()>) -> u64 {
    let mut run = std::pin::pin!(run);
    allocation_counter::measure(|| runtime.block_on(run.as_mut())).count_total
}

#[test]
fn requests_of_any_number_and_size_allocate_nothing() {
    let runtime = runtime();
    for requests in [
        declared(b"").repeat(300),
        declared(&[b'x'; 1024]),
        declared(&[b'x'; 1024]).repeat(60),
        declared(&[b'x'; 60 << 10]),
        chunked(&[b'x'; 1024]).repeat(10),
        chunked(&[b'x'; 60 << 10]),
    ] {
        let (mut client, mut answers) = runtime.block_on(async {
            let mut answers = vec![0; length(&requests).await];
            let mut client = connect(Config::default());
            for _ in 0..3 {
                exchange(&mut client, &requests, &mut answers).await;
            }
            (client, answers)
        });
        let counted = allocations(&runtime, async {
            for _ in 0..20 {
                exchange(&mut client, &requests, &mut answers).await;
            }
        });
        // A pipe moves its own buffer once in a while.
        assert!(counted <= 1, "{counted} for {} bytes of requests", requests.len());
    }
}

#[test]
fn a_prewarmed_worker_has_all_that_its_first_request_needs() {
    let runtime = runtime();
    let request = declared(b"hello");
    let counted = [0, 1].map(|prewarm| {
        let (mut client, mut answer) = runtime.block_on(async {
            let answer = vec![0; length(&request).await];
            let client = connect(Config {
                prewarm,
                ..Config::default()
            });
            // The worker has begun, and waits for a first byte.
            yield_now().await;
            (client, answer)
        });
        allocations(&runtime, exchange(&mut client, &request, &mut answer))
    });
    assert!(counted[0] > counted[1], "{counted:?}");
    assert_eq!(counted[1], PIPE, "{counted:?}");
}

/// What a pipe allocates for its first bytes each way.
const PIPE: u64 = 2;

#[test]
fn a_worker_that_can_not_begin_is_an_error() {
    let started = Workers::start(2, Arc::new(Echo), Arc::new(Config::default()), || panic!("it can't"));
    let error = started.expect_err("its thread has ended");
    assert_eq!(error.to_string(), "a worker ended before it began");
}

#[test]
fn a_client_that_never_ends_lets_others_have_their_turn() {
    const REQUESTS: usize = 10_000;
    runtime().block_on(async {
        let answered = Rc::new(Cell::new(0));
        let endless = declared(b"").repeat(REQUESTS);
        let length = length(&declared(b"")).await;
        let mut greedy = connect(Config {
            limits: Limits {
                output: usize::MAX,
                ..Limits::default()
            },
            ..Config::default()
        });
        let mut modest = connect(Config::default());
        greedy.write_all(&endless).await.expect("the pipe has room");
        let counts = answered.clone();
        let reading = spawn_local(async move {
            let mut answer = vec![0; length];
            for _ in 0..REQUESTS {
                greedy.read_exact(&mut answer).await.expect("the server answers");
                counts.set(counts.get() + 1);
            }
        });
        exchange(&mut modest, &declared(b""), &mut vec![0; length]).await;
        assert!(answered.get() < REQUESTS / 2, "{} came before", answered.get());
        reading.await.expect("the answers are right");
    });
}
