//! A client over a pipe in memory, for counting what a request costs without a socket.
//!
//! It knows no framework and next to no HTTP. Run a binary that uses it under callgrind with N and with 2N requests:
//! the difference, divided by N, is what one request costs, client and pipe included. What client and pipe cost by
//! themselves: `null-pipe`. `bare` is the least that answers a request by hand.
//!
//! Both ends are tasks. A client in `block_on`'s own future would make the runtime park with every request, as no server does
//! that has something to do.

use std::future::Future;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// The request, always the same.
pub const REQUEST: &[u8] =
    b"GET /users/42 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: pipe/1.0\r\nAccept: */*\r\n\r\n";

const CAPACITY: usize = 64 * 1024;

/// Serves `requests` requests, one after the other, over one connection on a current-thread runtime. `serve` is the
/// server's end of the connection; it ends when the client hangs up.
///
/// # Panics
/// An answer isn't 200 with a `content-length`, or isn't as long as the first one: then the connection can't be measured.
pub fn run<F>(requests: usize, serve: impl FnOnce(DuplexStream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers");
    let begun = Instant::now();
    runtime.block_on(async {
        let (client, server) = tokio::io::duplex(CAPACITY);
        let served = tokio::spawn(serve(server));
        let asked = tokio::spawn(ask(client, requests));
        asked.await.expect("every answer is as it should be");
        served.await.expect("the server ends with its connection");
    });
    let each = begun.elapsed().as_secs_f64() * 1e9 / requests.max(1) as f64;
    println!("{requests} requests\n{each:.1} ns each");
}

/// Writes a request and reads the whole answer, again and again. The first answer says how long an answer is, so that
/// the client costs next to nothing.
async fn ask(mut pipe: DuplexStream, requests: usize) {
    let mut answer = vec![0; CAPACITY];
    let mut length = None;
    for _ in 0..requests {
        pipe.write_all(REQUEST).await.expect("the server reads");
        let mut read = 0;
        while length.is_none_or(|length| read < length) {
            match pipe.read(&mut answer[read..]).await.expect("the server answers") {
                0 => panic!("the server hung up: {}", answer[..read].escape_ascii()),
                more => read += more,
            }
            length = length.or_else(|| whole(&answer[..read]));
        }
        let answer = &answer[..read];
        assert!(answer.starts_with(b"HTTP/1.1 200 "), "{}", answer.escape_ascii());
        assert_eq!(Some(read), length, "{}", answer.escape_ascii());
    }
}

/// How long the answer is that begins like this, if its head is complete.
fn whole(answer: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(answer).expect("the answer is text");
    let (head, _) = text.split_once("\r\n\r\n")?;
    let lengths = head.lines().filter_map(|line| line.split_once(": "));
    let mut lengths = lengths.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let (_, length) = lengths.next().expect("the answer has a length");
    Some(head.len() + 4 + length.parse::<usize>().expect("a length is a number"))
}
