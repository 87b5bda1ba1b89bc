//! Connections: requests, good and spoilt, in any pieces over a pipe of any size, to handlers that do anything, on each transport.
//!
//! What comes back is a row of well-formed responses in the order of the requests, never more than there were requests, interim
//! ones only where they were asked for, all of them if nothing closes; and it is the same however the bytes were cut, and on each
//! transport.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use pw_conformance::draw::Draw;
use pw_conformance::request::{Kind, Request};
use pw_conformance::response::{self, Missing, Response};
use pw_core::{HeadBuffer, Limits};
use pw_h1::{BodyDecoder, Framing, HeadParser};
use pw_server::Config;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::LocalSet;

use crate::behaviour::{Behaviour, OnFast, OnHyper};

/// What a connection may take: the handlers wait for nothing.
const PATIENCE: Duration = Duration::from_secs(20);

/// The transports.
#[derive(Clone, Copy, Debug)]
enum Transport {
    Hyper,
    Fast,
}

/// Checks the property of a connection that is drawn.
///
/// # Panics
/// It does not hold.
pub fn check(draw: &mut Draw<'_>) {
    let requests: Vec<Request> = (0..draw.between(1, 5)).map(|at| request(draw, at)).collect();
    let mut input: Vec<u8> = requests.iter().flat_map(Request::bytes).collect();
    if draw.once_in(8) {
        let length = draw.below(input.len() + 1);
        input.truncate(length);
    }
    let expected = Expected::of(&input);
    let mut answers: Vec<Vec<u8>> = Vec::new();
    for transport in [Transport::Hyper, Transport::Fast] {
        for _ in 0..2 {
            let cuts = draw.cuts(input.len(), 6);
            let room = *draw.pick(&[64 << 10, 4 << 10, 4 << 10, 300, 300, 20]);
            let came = without_chance(&exchange(transport, &input, &cuts, room));
            let context = || {
                format!(
                    "{transport:?}, cut at {cuts:?}, a pipe of {room}: {}",
                    input.escape_ascii()
                )
            };
            if answers.is_empty() {
                expected.check(&requests, &came, &context());
                answers.push(came);
            } else if answers[0] != came {
                panic!(
                    "came\n{}\nand before\n{}\n{}",
                    came.escape_ascii(),
                    answers[0].escape_ascii(),
                    context()
                );
            }
        }
    }
}

/// A request for a behaviour that is drawn, one in three of them spoilt.
fn request(draw: &mut Draw<'_>, at: usize) -> Request {
    let path = Behaviour::path(draw);
    let mut request = Request::good(draw, &[("GET", &path), ("POST", &path)], &format!("request-{at}"));
    if draw.once_in(3) {
        for _ in 0..draw.between(1, 2) {
            request.mutate(draw);
        }
    }
    request
}

/// Limits that are met.
fn config() -> Arc<Config> {
    static CONFIG: LazyLock<Arc<Config>> = LazyLock::new(|| {
        let limits = Limits {
            target: 200,
            head: 1500,
            fields: 20,
            body: 2000,
            chunk_overhead: 300,
            trailers: 200,
            trailer_fields: 4,
            drain: 1000,
            output: 4000,
            ..Limits::default()
        };
        Arc::new(Config {
            limits,
            ..Config::default()
        })
    });
    CONFIG.clone()
}

/// Everything that comes back for these bytes, sent in pieces, and then the end of them.
fn exchange(transport: Transport, input: &[u8], cuts: &[usize], room: usize) -> Vec<u8> {
    thread_local! {
        static RUNTIME: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime without sockets can be built");
    }
    let (client, server) = duplex(room);
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let all = async {
        let serving = tokio::task::spawn_local(serve(transport, server, peer));
        let came = talk(client, input, cuts).await;
        serving.await.expect("a connection does not panic");
        came
    };
    RUNTIME.with(|runtime| {
        let local = LocalSet::new();
        let came = local.block_on(runtime, async { tokio::time::timeout(PATIENCE, all).await });
        came.unwrap_or_else(|_| {
            panic!(
                "{transport:?} hangs, cut at {cuts:?}, a pipe of {room}: {}",
                input.escape_ascii()
            )
        })
    })
}

async fn serve(transport: Transport, io: DuplexStream, peer: SocketAddr) {
    match transport {
        Transport::Hyper => pw_hyper::serve_connection(io, peer, Arc::new(OnHyper), config()).await,
        Transport::Fast => pw_fast::serve_connection(io, peer, Arc::new(OnFast), config()).await,
    }
}

/// Sends in pieces, with turns for the server between them, and reads at the same time.
async fn talk(client: DuplexStream, input: &[u8], cuts: &[usize]) -> Vec<u8> {
    let (mut read, mut write) = tokio::io::split(client);
    let (input, cuts) = (input.to_vec(), cuts.to_vec());
    let sending = tokio::task::spawn_local(async move {
        let mut from = 0;
        for to in cuts.into_iter().chain([input.len()]) {
            // The server may have ended the connection.
            if write.write_all(&input[from..to]).await.is_err() {
                return;
            }
            from = to;
            for _ in 0..4 {
                tokio::task::yield_now().await;
            }
        }
        let _ = write.shutdown().await;
    });
    let mut came = Vec::new();
    // A pipe knows no reset: what came before an error is all there is.
    let _ = read.read_to_end(&mut came).await;
    sending.await.expect("sending does not panic");
    came
}

/// Without dates, and ids that the server made.
fn without_chance(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for (name, length) in [(&b"\r\ndate: "[..], 29), (b"\r\nx-request-id: ", 32)] {
        let mut at = 0;
        while let Some(found) = out[at..].windows(name.len()).position(|window| window == name) {
            at += found + name.len();
            if let Some((value, rest)) = out[at..].split_at_mut_checked(length)
                && rest.starts_with(b"\r\n")
                && !value.starts_with(b"request-")
            {
                value.fill(b'*');
            }
        }
    }
    out
}

/// What a connection's bytes are worth, by the parser alone.
struct Expected {
    /// Requests that are whole, or their heads at least.
    heads: usize,
    /// How many of them may be answered by 100.
    interims: usize,
    /// Something in them ends the connection.
    ends: bool,
}

impl Expected {
    fn of(input: &[u8]) -> Self {
        let config = config();
        let limits = &config.limits;
        let mut rest = input;
        let mut expected = Self {
            heads: 0,
            interims: 0,
            ends: false,
        };
        while !rest.is_empty() {
            let Ok(Some(verdict)) = HeadParser::default().parse(rest, limits, &mut HeadBuffer::default()) else {
                expected.ends = true;
                break;
            };
            rest = &rest[verdict.consumed..];
            expected.heads += 1;
            expected.interims += usize::from(verdict.expect_continue);
            // HTTP/1.0 may end with a body that was not read, and so may a body above a limit.
            expected.ends |= !verdict.keep_alive || verdict.version == pw_core::Version::Http10;
            expected.ends |= verdict.expect_continue;
            let Some(body) = skip_body(verdict.framing, &mut rest, limits) else {
                expected.ends = true;
                break;
            };
            expected.ends |= body > limits.drain;
        }
        expected
    }

    fn check(&self, requests: &[Request], came: &[u8], context: &str) {
        let shown = || format!("{}\n{context}", came.escape_ascii());
        let responses = split(requests, came).unwrap_or_else(|why| panic!("{why:?}: {}", shown()));
        let (mut finals, mut interims, mut last_id) = (0, 0, None);
        let mut closes = false;
        for response in responses {
            assert!(!closes, "more after a close: {}", shown());
            assert!(response.faults.is_empty(), "{:?}: {}", response.faults, shown());
            if response.is_interim() {
                interims += 1;
                continue;
            }
            finals += 1;
            closes = response.field("connection").as_deref() == Some("close");
            let id = response.field("x-request-id");
            assert!(id.is_some() || closes, "neither an id nor a close: {}", shown());
            if let Some(number) = id.and_then(|id| id.strip_prefix("request-")?.parse::<usize>().ok()) {
                assert!(last_id.is_none_or(|last| last <= number), "out of order: {}", shown());
                last_id = Some(number);
            }
        }
        assert!(
            finals <= self.heads + 1,
            "{finals} answers to {} requests: {}",
            self.heads,
            shown()
        );
        assert!(interims <= self.interims, "{interims} interim answers: {}", shown());
        if !self.ends && !closes {
            assert_eq!(finals, self.heads, "{}", shown());
        }
    }
}

/// The length of a body, which is skipped, if it is whole.
fn skip_body(framing: Framing, rest: &mut &[u8], limits: &Limits) -> Option<usize> {
    let mut decoder = BodyDecoder::new(framing);
    let begun = rest.len();
    while !decoder.is_end() {
        let step = decoder.decode(rest, limits).ok()?;
        *rest = &rest[step.consumed..];
        if step.consumed == 0 {
            return None;
        }
    }
    Some(begun - rest.len())
}

/// The responses. Whether one has content depends on the request's method, which its id tells; where it has none of ours, whatever
/// lets the rest be read as responses: without content if that will do, as content without a length would reach to the end.
fn split(requests: &[Request], bytes: &[u8]) -> Result<Vec<Response>, Missing> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let (head, _) = response::read(bytes, "HEAD", false, true)?;
    let is_head = |id: String| {
        let request = requests.get(id.strip_prefix("request-")?.parse::<usize>().ok()?)?;
        let method = request.tokens.iter().find(|token| token.kind == Kind::Method)?;
        Some(method.bytes == b"HEAD")
    };
    let methods: &[&str] = match head.field("x-request-id").and_then(is_head) {
        Some(true) => &["HEAD"],
        Some(false) => &["GET"],
        None => &["HEAD", "GET"],
    };
    let mut wrong = Missing::Incomplete;
    for method in methods {
        let read = response::read(bytes, method, false, true).and_then(|(response, rest)| {
            let mut all = vec![response];
            all.extend(split(requests, rest)?);
            Ok(all)
        });
        match read {
            Ok(all) => return Ok(all),
            Err(why) => wrong = why,
        }
    }
    Err(wrong)
}
