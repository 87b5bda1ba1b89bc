//! What all servers answer, asked before anything is compared.

use std::time::{Duration, Instant};

use super::client::Client;
use super::servers::Running;

pub(super) const USER: &str = "/users/42";
/// Answers after a millisecond of awaited work.
pub(super) const WAIT: &str = "/wait";
const WAITED: Duration = Duration::from_millis(1);
/// Of `/files/SIZE`.
pub(super) const FILE_SIZES: [usize; 2] = [9_700, 2_100_000];

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const OCTETS: &str = "application/octet-stream";

/// What the file of this size has in it.
pub(super) fn content(size: usize) -> Vec<u8> {
    (0..251).cycle().take(size).collect()
}

/// A request, and what comes of it.
struct Exchange {
    method: &'static str,
    target: String,
    body: Vec<u8>,
    kind: &'static str,
    answer: Vec<u8>,
}

/// # Errors
/// The server answers a target that it has unlike the others: with what it said.
pub(super) fn check(running: &Running<'_>) -> Result<(), String> {
    let mut client = Client::connect(running.port).map_err(|error| running.complaint(&error.to_string()))?;
    let exchanges = exchanges();
    for exchange in exchanges
        .iter()
        .filter(|exchange| running.server.answers(&exchange.target))
    {
        let Exchange { method, target, .. } = exchange;
        let begun = Instant::now();
        let answer = client
            .ask(method, target, &exchange.body)
            .map_err(|error| running.complaint(&format!("does not answer {method} {target}: {error}")))?;
        let (status, kind) = (answer.status, answer.field("content-type"));
        let dated = answer.field("date").is_some();
        if status != 200 || kind != Some(exchange.kind) || !dated || answer.body != exchange.answer {
            let begin = String::from_utf8_lossy(&answer.body[..answer.body.len().min(100)]);
            let date = if dated { "" } else { ", without a date" };
            return Err(running.complaint(&format!(
                "answers {method} {target} unlike the others: {status}, {kind:?}{date}, {begin:?}"
            )));
        }
        if target == WAIT && begun.elapsed() < WAITED {
            return Err(running.complaint(&format!("answers {target} at once")));
        }
    }
    Ok(())
}

fn exchanges() -> Vec<Exchange> {
    let get = |target: &str, kind, answer: &[u8]| Exchange {
        method: "GET",
        target: target.to_owned(),
        body: Vec::new(),
        kind,
        answer: answer.to_owned(),
    };
    let bytes: Vec<u8> = (0..=255).cycle().take(1024).collect();
    let echo = Exchange {
        method: "POST",
        target: "/echo".to_owned(),
        body: bytes.clone(),
        kind: OCTETS,
        answer: bytes,
    };
    let files = FILE_SIZES.map(|size| get(&format!("/files/{size}"), OCTETS, &content(size)));
    [
        get("/", TEXT, b"ok"),
        get("/ping", JSON, br#"{"ok":true}"#),
        get(USER, JSON, br#"{"id":42,"name":"ann"}"#),
        get("/search?q=a%20b&page=3", JSON, br#"{"q":"a b","page":3}"#),
        echo,
        get(WAIT, JSON, br#"{"ok":true}"#),
    ]
    .into_iter()
    .chain(files)
    .collect()
}
