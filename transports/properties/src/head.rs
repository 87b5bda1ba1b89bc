//! Heads: one verdict however the bytes come, and nothing is accepted that `httparse`, which is more lenient, reads otherwise.

use pw_conformance::draw::Draw;
use pw_conformance::request::Request;
use pw_core::{HeadBuffer, Limits, RequestHead, Version};
use pw_h1::{HeadParser, Refusal, Verdict};

/// Fields that `httparse` has room for: more than any head of these has.
const FIELDS: usize = 1024;

/// The most bytes of a head that is made of whatever a fuzzer has.
const RAW: usize = 1 << 10;

/// A head as a handler sees it.
struct Head(HeadBuffer);

impl RequestHead for Head {
    fn buffer(&self) -> &HeadBuffer {
        &self.0
    }
}

/// What became of a head: the verdict and what a handler sees, a refusal, or nothing because bytes are missing.
type Outcome = Result<Option<(Verdict, Seen)>, Refusal>;

/// What a handler sees.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    method: String,
    path: String,
    query: String,
    host: String,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
}

/// Checks the property of a head that is drawn: a request, good or spoilt, or any bytes.
///
/// # Panics
/// It does not hold.
pub fn check(draw: &mut Draw<'_>) {
    let limits = if draw.once_in(3) { small() } else { Limits::default() };
    let input = if draw.once_in(2) {
        draw.rest(RAW)
    } else {
        let mut request = Request::good(draw, &[("GET", "/a/b"), ("POST", "/"), ("HEAD", "/x")], "id");
        for _ in 0..draw.below(4) {
            request.mutate(draw);
        }
        request.bytes()
    };
    let whole = parse(&input, &[], &limits);
    let cuts = draw.cuts(input.len(), 6);
    let shown = || input.escape_ascii().to_string();
    assert_eq!(parse(&input, &cuts, &limits), whole, "cut at {cuts:?}: {}", shown());
    if input.len() < 2000 {
        let all: Vec<usize> = (0..input.len()).collect();
        assert_eq!(parse(&input, &all, &limits), whole, "byte by byte: {}", shown());
    }
    // What a buffer holds behind the input is no part of it, however much like the rest of a head it is.
    let behind = [&b"\r\nx: y\r\n\r\n"[..], b": b\r\n\r\n", b"\n\r\n", b"a"][draw.below(4)].repeat(100);
    assert_eq!(
        parse_before(&input, &cuts, &limits, &behind),
        whole,
        "in a buffer, cut at {cuts:?}: {}",
        shown()
    );
    let Ok(Some((verdict, seen))) = &whole else { return };
    within(&limits, verdict, seen);
    // What stands behind it is no part of it.
    let mut longer = input[..verdict.consumed].to_vec();
    longer.extend(draw.bytes(8));
    assert_eq!(parse(&longer, &[], &limits), whole, "with more behind it: {}", shown());
    if limits != Limits::default() {
        assert_eq!(
            parse(&input, &[], &Limits::default()),
            whole,
            "with room for more: {}",
            shown()
        );
    }
    agree(&input, verdict, seen);
}

/// Limits that are met.
fn small() -> Limits {
    Limits {
        target: 40,
        head: 300,
        fields: 6,
        ..Limits::default()
    }
}

/// Parses an input that grows to these lengths, the whole of it last.
fn parse(input: &[u8], cuts: &[usize], limits: &Limits) -> Outcome {
    parse_before(input, cuts, limits, &[])
}

/// As [`parse`], in a buffer that holds something behind the input.
fn parse_before(input: &[u8], cuts: &[usize], limits: &Limits, behind: &[u8]) -> Outcome {
    let (mut parser, mut head) = (HeadParser::default(), HeadBuffer::default());
    for length in cuts.iter().copied().chain([input.len()]) {
        let buffer = [&input[..length], behind].concat();
        if let Some(verdict) = parser.parse_within(&buffer, length, limits, &mut head)? {
            assert!(verdict.start < verdict.consumed && verdict.consumed <= length);
            return Ok(Some((verdict, Seen::by_a_handler(&Head(head)))));
        }
    }
    Ok(None)
}

impl Seen {
    fn by_a_handler(head: &Head) -> Self {
        let fields = head.fields().map(|(name, value)| (name.to_vec(), value.to_vec()));
        Self {
            method: head.method().to_owned(),
            path: head.path().to_owned(),
            query: head.query().to_owned(),
            host: head.host().to_owned(),
            fields: fields.collect(),
        }
    }
}

/// What was accepted is within the limits.
fn within(limits: &Limits, verdict: &Verdict, seen: &Seen) {
    assert!(verdict.consumed <= limits.head);
    assert!(seen.path.len() + seen.query.len() <= limits.target);
    assert!(seen.fields.len() <= limits.fields);
}

/// `httparse` accepts it, too, and reads the same.
fn agree(input: &[u8], verdict: &Verdict, seen: &Seen) {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS];
    let mut parsed = httparse::Request::new(&mut fields);
    let shown = input.escape_ascii();
    let end = parsed.parse(input).unwrap_or_else(|why| panic!("{why}: {shown}"));
    assert_eq!(end, httparse::Status::Complete(verdict.consumed), "{shown}");
    assert_eq!(parsed.method, Some(&*seen.method), "{shown}");
    let version = match verdict.version {
        Version::Http10 => 0,
        _ => 1,
    };
    assert_eq!(parsed.version, Some(version), "{shown}");
    assert_eq!(verdict.is_head, seen.method == "HEAD", "{shown}");

    let lines = parsed.headers.iter();
    let lines: Vec<_> = lines
        .map(|line| (line.name.to_ascii_lowercase().into_bytes(), trim(line.value).to_vec()))
        .collect();
    assert_eq!(lines, seen.fields, "{shown}");

    let target = parsed.path.expect("a request has a target");
    let (authority, rest) = match target.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            (Some(&rest[..end]), &rest[end..])
        }
        _ => (None, target),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = if path.is_empty() { "/" } else { path };
    assert_eq!((path, query), (&*seen.path, &*seen.query), "{shown}");
    let named = lines
        .iter()
        .find(|(name, _)| name == b"host")
        .map(|(_, value)| String::from_utf8_lossy(value));
    let host = authority
        .map(str::to_owned)
        .or(named.map(String::from))
        .unwrap_or_default();
    assert_eq!(host, seen.host, "{shown}");
}

fn trim(value: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value.iter().position(|byte| !is_space(byte)).unwrap_or(value.len());
    let end = value
        .iter()
        .rposition(|byte| !is_space(byte))
        .map_or(start, |last| last + 1);
    &value[start..end]
}
