//! Answers: whatever a handler puts into a reply, what leaves is one response, with the fields as they were put, framed once, and nothing of a
//! value becomes a line of its own.

use http::{HeaderName, StatusCode};
use pw_conformance::draw::Draw;
use pw_conformance::response;
use pw_core::problem::kind;
use pw_core::{FieldValue, Problem, Reply, Version};
use pw_h1::Refusal;
use pw_h1::encode::{self, Answer, CHUNK_END, Content, LAST_CHUNK, Payload, Sent, write_chunk_size, write_head};

const DATE: &[u8; 29] = b"Sun, 06 Nov 1994 08:49:37 GMT";

/// Names of fields, of which some are given several times.
const NAMES: [&str; 8] = [
    "set-cookie",
    "x-a",
    "x-b",
    "content-type",
    "x-request-id",
    "etag",
    "location",
    "vary",
];

/// Bytes that values are made of: those that could end a line among them.
const BYTES: &[u8] = b"a b\t,;=:\r\n\0\x7f\x80\xff\"\\x1";

/// The most fields, names and values that are read back.
const FIELDS: usize = 64;

/// Checks the property of an answer that is drawn.
///
/// # Panics
/// It does not hold.
pub fn check(draw: &mut Draw<'_>) {
    match draw.below(6) {
        0 => problem(draw),
        1 => refusal(draw),
        _ => reply(draw),
    }
}

/// Fields that were put, in the order in which they leave.
#[derive(Default)]
struct Fields(Vec<(String, Vec<u8>)>);

impl Fields {
    fn append(&mut self, name: &str, value: &[u8]) {
        let behind = self
            .0
            .iter()
            .rposition(|(there, _)| there == name)
            .map_or(self.0.len(), |at| at + 1);
        self.0.insert(behind, (name.to_owned(), value.to_vec()));
    }

    fn remove(&mut self, name: &str) {
        self.0.retain(|(there, _)| there != name);
    }

    fn insert(&mut self, name: &str, value: &[u8]) {
        self.remove(name);
        self.0.push((name.to_owned(), value.to_vec()));
    }
}

fn reply(draw: &mut Draw<'_>) {
    let (mut reply, mut wanted) = (Reply::default(), Fields::default());
    let status = if draw.once_in(2) {
        *draw.pick(&[200, 201, 204, 205, 206, 304, 404, 500])
    } else {
        draw.between(200, 999) as u16
    };
    reply.set_status(StatusCode::from_u16(status).expect("a status"));
    for _ in 0..draw.below(8) {
        put_field(draw, &mut reply, &mut wanted);
    }
    if draw.once_in(8) {
        reply.close_connection();
    }
    let length = *draw.pick(&[0, 1, 5, 100]);
    let content = draw.bytes(length);
    let answer = Answer {
        version: if draw.once_in(3) {
            Version::Http10
        } else {
            Version::Http11
        },
        to_head: draw.once_in(4),
        keep_alive: !draw.once_in(3),
        content: match draw.once_in(3) {
            true => Content::Stream,
            false => Content::Sized(content.len() as u64),
        },
    };
    let mut out = b"before".to_vec();
    let sent = write_head(&mut out, &reply, &answer, DATE);
    let mut out = out.split_off(b"before".len());
    let shown = out.escape_ascii().to_string();
    lines(&out, &reply, &wanted, &answer, sent);

    let content = match sent.payload {
        Payload::None => Vec::new(),
        Payload::Sized(length) => content[..length as usize].to_vec(),
        Payload::Chunked | Payload::UntilClose => content,
    };
    let cuts = draw.cuts(content.len(), 4);
    put_content(&mut out, &content, &cuts, sent);
    // One response, and what follows it is another; but one that is delimited by the end of the connection.
    let follows: &[u8] = if sent.payload == Payload::UntilClose {
        b""
    } else {
        b"HTTP/1.1 200 OK"
    };
    out.extend_from_slice(follows);
    let (method, old) = (
        if answer.to_head { "HEAD" } else { "GET" },
        answer.version == Version::Http10,
    );
    let (read, rest) = response::read(&out, method, old, true).unwrap_or_else(|why| panic!("{why:?}: {shown}"));
    assert_eq!((read.status, &read.body, rest), (status, &content, follows), "{shown}");
    // The reader knows no status above 599.
    assert!(read.faults.is_empty() || status > 599, "{:?}: {shown}", read.faults);
}

fn put_field(draw: &mut Draw<'_>, reply: &mut Reply, wanted: &mut Fields) {
    let name = *draw.pick(&NAMES);
    let header = HeaderName::from_static(name);
    let value: Vec<u8> = (0..draw.below(6)).map(|_| *draw.pick(BYTES)).collect();
    let Ok(checked) = FieldValue::from_bytes(&value) else {
        let is_control = |byte: &u8| matches!(byte, 0..=8 | 0x0a..=0x1f | 0x7f);
        let is_space = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
        let harmful = value.iter().any(is_control) || is_space(value.first()) || is_space(value.last());
        assert!(harmful, "refused: {}", value.escape_ascii());
        return;
    };
    match draw.below(4) {
        0 => {
            reply.insert(header, checked);
            wanted.insert(name, &value);
        }
        1 => {
            reply.remove(&header);
            wanted.remove(name);
        }
        _ => {
            reply.append(header, checked);
            wanted.append(name, &value);
        }
    }
}

/// The head, read by `httparse`, is what was asked for.
fn lines(out: &[u8], reply: &Reply, wanted: &Fields, answer: &Answer, sent: Sent) {
    let shown = out.escape_ascii();
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut parsed = httparse::Response::new(&mut fields);
    assert_eq!(parsed.parse(out), Ok(httparse::Status::Complete(out.len())), "{shown}");
    assert_eq!(parsed.code, Some(reply.status().as_u16()), "{shown}");
    let old = answer.version == Version::Http10;
    assert_eq!(parsed.version, Some(u8::from(!old)), "{shown}");
    let lines: Vec<(String, Vec<u8>)> = parsed
        .headers
        .iter()
        .map(|line| (line.name.to_owned(), line.value.to_vec()))
        .collect();
    let (own, framing) = lines.split_at(wanted.0.len().min(lines.len()));
    assert_eq!(own, wanted.0, "{shown}");

    let mut rest: Vec<(String, String)> = Vec::new();
    for (name, value) in framing {
        rest.push((name.clone(), String::from_utf8(value.clone()).expect("it is ASCII")));
    }
    let status = reply.status().as_u16();
    let stays = answer.keep_alive && !reply.closes_connection() && sent.payload != Payload::UntilClose;
    assert_eq!(sent.keep_alive, stays, "{shown}");
    let length = match answer.content {
        _ if matches!(status, 204 | 304) => None,
        _ if status == 205 => Some(0),
        Content::Sized(length) => Some(length),
        Content::Stream => None,
    };
    let mut wanted: Vec<(String, String)> = Vec::new();
    match (stays, old) {
        (false, false) => wanted.push(("connection".into(), "close".into())),
        (true, true) => wanted.push(("connection".into(), "keep-alive".into())),
        _ => {}
    }
    if let Some(length) = length.filter(|length| *length > 0 || !answer.to_head) {
        wanted.push(("content-length".into(), length.to_string()));
    }
    if sent.payload == Payload::Chunked {
        wanted.push(("transfer-encoding".into(), "chunked".into()));
    }
    wanted.push(("date".into(), "Sun, 06 Nov 1994 08:49:37 GMT".into()));
    assert_eq!(rest, wanted, "{shown}");
    let payload = match (length, answer.to_head || matches!(status, 204 | 304)) {
        (_, true) => Payload::None,
        (Some(length), false) => Payload::Sized(length),
        (None, false) if old => Payload::UntilClose,
        (None, false) => Payload::Chunked,
    };
    assert_eq!(sent.payload, payload, "{shown}");
}

/// Puts the content as it was decided to be sent.
fn put_content(out: &mut Vec<u8>, content: &[u8], cuts: &[usize], sent: Sent) {
    if sent.payload != Payload::Chunked {
        out.extend_from_slice(content);
        return;
    }
    let mut from = 0;
    for to in cuts.iter().copied().chain([content.len()]) {
        if from < to {
            write_chunk_size(out, to - from);
            out.extend_from_slice(&content[from..to]);
            out.extend_from_slice(CHUNK_END);
            from = to;
        }
    }
    out.extend_from_slice(LAST_CHUNK);
}

/// A problem is a document whatever its detail says, and the text of its cause is not in it.
fn problem(draw: &mut Draw<'_>) {
    let length = draw.below(40);
    let detail = String::from_utf8_lossy(&draw.bytes(length)).into_owned();
    let problem_kind = *draw.pick(&[
        &kind::BAD_REQUEST,
        &kind::NOT_FOUND,
        &kind::CONTENT_TOO_LARGE,
        &kind::INTERNAL,
    ]);
    let mut reply = Reply::default();
    let problem = Problem::of(problem_kind).detail(detail.clone());
    problem.cause("what only the log may say").write(&mut reply);
    let text = String::from_utf8_lossy(reply.content()).into_owned();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{why}: {text}"));
    assert_eq!(document["status"], problem_kind.status().as_u16(), "{text}");
    assert!(!text.contains("what only the log may say"), "{text}");
    let said = document.get("detail").map(|said| said.as_str().expect("it is text"));
    assert!(said.is_none_or(|said| said == detail), "{text}");
    if problem_kind.status().is_client_error() {
        assert_eq!(said, Some(&*detail), "{text}");
    }
}

/// A refusal is one response that closes, with a document unless it answers a `HEAD`.
fn refusal(draw: &mut Draw<'_>) {
    let kind = *draw.pick(&[&kind::BAD_REQUEST, &kind::URI_TOO_LONG, &kind::REQUEST_TIMEOUT]);
    let mut refusal = Refusal::new(kind, "what is wrong");
    refusal.to_head = draw.once_in(2);
    let mut out = Vec::new();
    refusal.write(&mut out, &encode::http_date(std::time::UNIX_EPOCH));
    let method = if refusal.to_head { "HEAD" } else { "GET" };
    let (read, rest) = response::read(&out, method, false, false).expect("a refusal is a response");
    assert_eq!((read.faults, rest), (Vec::new(), &b""[..]));
    assert_eq!(read.status, refusal.kind.status().as_u16());
    assert_eq!(
        read.fields
            .iter()
            .filter(|(name, value)| name == "connection" && value == "close")
            .count(),
        1
    );
    assert_eq!(read.body.is_empty(), refusal.to_head);
}
