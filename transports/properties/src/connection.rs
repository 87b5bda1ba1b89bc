//! Connections: requests, good and spoilt, in any pieces over a pipe of any size, to handlers that do anything, on each transport.
//!
//! What comes back is a row of well-formed responses in the order of the requests, never more than there were requests, interim
//! ones only where they were asked for, all of them if nothing closes; and it is the same however the bytes were cut, and on each
//! transport.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use pw_conformance::draw::Draw;
use pw_conformance::request::Request;
use pw_conformance::response::{self, Missing, Response};
use pw_core::{HeadBuffer, Limits, RequestHead, Version};
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
                expected.check(&came, &context());
                answers.push(came);
            } else if answers[0] != came {
                let same = came.iter().zip(&answers[0]).take_while(|(a, b)| a == b).count();
                let shown = |bytes: &[u8]| {
                    bytes[same.saturating_sub(300)..bytes.len().min(same + 300)]
                        .escape_ascii()
                        .to_string()
                };
                panic!(
                    "from byte {same} on, came\n{}\nand before\n{}\n{}",
                    shown(&came),
                    shown(&answers[0]),
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
pub(crate) async fn talk(client: DuplexStream, input: &[u8], cuts: &[usize]) -> Vec<u8> {
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
    let is_made: fn(&u8) -> bool = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    for (name, length, fits) in [
        (&b"\r\ndate: "[..], 29, u8::is_ascii as fn(&u8) -> bool),
        (b"\r\nx-request-id: ", 32, is_made),
    ] {
        let mut at = 0;
        while let Some(found) = out[at..].windows(name.len()).position(|window| window == name) {
            at += found + name.len();
            if let Some((value, rest)) = out[at..].split_at_mut_checked(length)
                && rest.starts_with(b"\r\n")
                && value.iter().all(fits)
            {
                value.fill(b'*');
            }
        }
    }
    out
}

/// What a connection's bytes are worth, by the parser alone.
struct Expected {
    /// Heads that are accepted, in order. Their bodies may be missing.
    heads: Vec<Asked>,
    /// How many of them may be answered by 100.
    interims: usize,
    /// Something in them ends the connection.
    ends: bool,
}

/// What an answer depends on.
struct Asked {
    is_head: bool,
    /// The id that the answer carries, if the request has one that can be taken over.
    id: Option<String>,
}

impl Expected {
    fn of(input: &[u8]) -> Self {
        let config = config();
        let limits = &config.limits;
        let mut rest = input;
        let mut expected = Self {
            heads: Vec::new(),
            interims: 0,
            ends: false,
        };
        while !rest.is_empty() {
            let mut head = HeadBuffer::default();
            let Ok(Some(verdict)) = HeadParser::default().parse(rest, limits, &mut head) else {
                expected.ends = true;
                break;
            };
            rest = &rest[verdict.consumed..];
            expected.heads.push(Asked {
                is_head: verdict.is_head,
                id: id_of(&head),
            });
            expected.interims += usize::from(verdict.expect_continue);
            // HTTP/1.0 may end with a body that was not read, and so may a body above a limit.
            expected.ends |= !verdict.keep_alive || verdict.version == Version::Http10;
            expected.ends |= verdict.expect_continue;
            let Some(body) = skip_body(verdict.framing, &mut rest, limits) else {
                expected.ends = true;
                break;
            };
            expected.ends |= body > limits.drain;
        }
        expected
    }

    /// Each final answer belongs to the head at its place; one more may refuse what follows the heads.
    fn check(&self, came: &[u8], context: &str) {
        let shown = || format!("{}\n{context}", came.escape_ascii());
        let (mut rest, mut finals, mut interims, mut closes) = (came, 0, 0, false);
        while !rest.is_empty() {
            assert!(!closes, "more after a close: {}", shown());
            assert!(finals <= self.heads.len(), "more than {finals} answers: {}", shown());
            let asked = self.heads.get(finals);
            let (response, after) =
                next(asked, rest).unwrap_or_else(|why| panic!("answer {finals} is {why:?}: {}", shown()));
            assert!(response.faults.is_empty(), "{:?}: {}", response.faults, shown());
            rest = after;
            if response.is_interim() {
                interims += 1;
                continue;
            }
            finals += 1;
            closes = response.field("connection").as_deref() == Some("close");
            match (
                response.field("x-request-id"),
                asked.and_then(|asked| asked.id.as_ref()),
            ) {
                (Some(carried), Some(id)) => assert_eq!(&carried, id, "out of order: {}", shown()),
                (Some(_), None) => assert!(asked.is_some(), "an answer nobody asked for: {}", shown()),
                // A refusal, which no chain has seen.
                (None, _) => assert!(closes, "neither an id nor a close: {}", shown()),
            }
        }
        assert!(interims <= self.interims, "{interims} interim answers: {}", shown());
        if !self.ends && !closes {
            assert_eq!(finals, self.heads.len(), "{}", shown());
        }
    }
}

/// The id that was given to a request when it was made, if it still has that one alone.
fn id_of(head: &HeadBuffer) -> Option<String> {
    let mut ids = head.fields().filter(|(name, _)| name == b"x-request-id");
    let (_, id) = ids.next().filter(|_| ids.next().is_none())?;
    let number = id.strip_prefix(b"request-")?;
    let is_ours = (1..=2).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    is_ours.then(|| String::from_utf8_lossy(id).into_owned())
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

/// The next response. A refusal, which belongs to no head, may be of a `HEAD`; it is the last.
fn next<'b>(asked: Option<&Asked>, bytes: &'b [u8]) -> Result<(Response, &'b [u8]), Missing> {
    let (head, after) = response::read(bytes, "HEAD", false, true)?;
    let without_content = match asked {
        Some(asked) => asked.is_head,
        None => after.is_empty(),
    };
    if head.is_interim() || without_content {
        return Ok((head, after));
    }
    response::read(bytes, "GET", false, true)
}
