//! The head of a request, read-only to handlers and middlewares: method, target, fields, peer, route, parameters.
//!
//! [`HeadBuffer`] is the one store behind every transport's head: the bytes, where things are in them, the route they ask
//! for and scratch for what had to be decoded. A transport fills it (through `pw-h1`, or field by field for HTTP/2),
//! calls [`HeadBuffer::find_route`], and only then runs the chain.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;
use std::sync::OnceLock;

use crate::route::{Match, Params, Route, Table};
use crate::wipe::wipe;
use crate::{Problem, percent, problem};

/// The version of HTTP a request came in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    #[default]
    Http11,
    /// HTTP/2
    Http2,
}

/// What a handler or a middleware may know of a request before its body.
///
/// Handlers ask for it as `&impl RequestHead`. It is borrowed: what must outlive the handler is copied, explicitly.
///
/// ```
/// use pw_core::RequestHead;
/// async fn agent(head: &impl RequestHead) -> String {
///     let agent = head.field("user-agent").unwrap_or_default();
///     String::from_utf8_lossy(agent).into_owned()
/// }
/// ```
///
/// Wrong: `async fn agent(head: &impl RequestHead) { tokio::spawn(async { head.path(); }); }`. The head is gone when
/// the handler returns, and the compiler says so; copy what the task needs before it is spawned.
pub trait RequestHead: Send + Sync + 'static {
    /// The store all the rest reads from.
    #[doc(hidden)]
    fn buffer(&self) -> &HeadBuffer;

    /// The method, as sent; methods are case-sensitive.
    fn method(&self) -> &str {
        self.buffer().text(self.buffer().method)
    }

    /// The raw path of the target, percent-encoding and all. `*` for `OPTIONS *`.
    fn path(&self) -> &str {
        self.buffer().text(self.buffer().path)
    }

    /// The raw query, without its `?`; empty if there is none.
    fn query(&self) -> &str {
        self.buffer().text(self.buffer().query)
    }

    /// The authority the request is for: host, and port if it was named. Valid as RFC 9112 3.2 says; empty in HTTP/1.0
    /// without `Host`. In lower case for HTTP/2 only.
    fn host(&self) -> &str {
        self.buffer().text(self.buffer().host)
    }

    /// The version.
    fn version(&self) -> Version {
        self.buffer().version
    }

    /// The first value of a field. `name` is in lower case. What is a list may come in several lines, which are one (RFC 9110 5.3):
    /// see [`values`](Self::values).
    ///
    /// # Panics
    /// In debug builds, if `name` holds a capital: it would never be found.
    fn field(&self, name: &str) -> Option<&[u8]> {
        self.buffer().values(name).next()
    }

    /// The values of a field, one for each line it came in, in order. `name` is in lower case.
    ///
    /// # Panics
    /// As [`field`](Self::field).
    fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a [u8]> + Clone {
        self.buffer().values(name)
    }

    /// All fields in the order they came in, names in lower case. Unlike [`field`](Self::field) this costs an allocation, once for
    /// each request.
    fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.buffer().iter()
    }

    /// The other end of the connection. A client behind a proxy shows as the proxy.
    fn peer(&self) -> SocketAddr {
        self.buffer().peer
    }

    /// The route that will answer, or `None` where the framework answers itself (404, 405, 501, `OPTIONS`).
    fn route(&self) -> Option<&'static Route> {
        self.buffer().route()
    }

    /// A path parameter by name, percent-decoded; `None` if the route has none of that name.
    fn param(&self, name: &str) -> Option<&str> {
        let at = self.route()?.params().iter().position(|p| *p == name)?;
        Some(self.buffer().param_at(at))
    }

    /// The pairs of the query, decoded as `application/x-www-form-urlencoded`, in order.
    ///
    /// # Errors
    /// 400 where a key or a value is not UTF-8 once decoded.
    fn query_pairs(&self) -> Result<impl Iterator<Item = (&str, &str)> + Clone, Problem> {
        self.buffer().pairs()
    }
}

impl RequestHead for HeadBuffer {
    fn buffer(&self) -> &HeadBuffer {
        self
    }
}

/// The one store of a request's head, reused from request to request.
///
/// A transport that has the whole head in one piece calls [`clear`](Self::clear), [`index_field`](Self::index_field) for each field,
/// [`set_block`](Self::set_block), [`set_line`](Self::set_line) and [`set_host`](Self::set_host); one that has it in pieces calls `clear`,
/// [`start`](Self::start), [`push_field`](Self::push_field) and [`push_host`](Self::push_host). Last comes [`find_route`](Self::find_route).
///
/// Places are not checked when they are given: reading what is not in the block, or a request line or a host that is not text,
/// panics.
#[derive(Debug)]
pub struct HeadBuffer {
    /// Where everything is.
    block: Vec<u8>,
    /// The block in lower case, once somebody has asked for the names of all fields.
    lower: OnceLock<Vec<u8>>,
    /// Of each field the name and the value.
    fields: Vec<(Span, Span)>,
    /// A bit for each length that a name has, modulo 64: most fields that are asked for are not there.
    lengths: u64,
    method: Span,
    path: Span,
    query: Span,
    host: Span,
    version: Version,
    peer: SocketAddr,
    table: Option<&'static Table>,
    found: Match,
    params: Params,
    broken: Option<percent::Broken>,
    decoded: Decoded,
}

/// A range of bytes within one part of a [`HeadBuffer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// From `start` up to `end`, not included. A head is far below 4 GiB.
    pub const fn new(start: usize, end: usize) -> Self {
        Self {
            start: start as u32,
            end: end as u32,
        }
    }

    fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// What percent-encoding hid, decoded once before the chain, so that borrowing it is free.
#[derive(Debug, Default)]
struct Decoded {
    text: String,
    /// A bit for each parameter whose text is here, and then where.
    params: u16,
    param_spans: [Span; crate::route::MAX_PARAMS],
    /// The pairs of a query that held an escape; otherwise they are read from the query itself.
    pairs: Vec<(Span, Span)>,
    query: QueryState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum QueryState {
    #[default]
    Plain,
    Decoded,
    NotUtf8,
}

impl Default for HeadBuffer {
    fn default() -> Self {
        Self {
            block: Vec::new(),
            lower: OnceLock::new(),
            fields: Vec::new(),
            lengths: 0,
            method: Span::default(),
            path: Span::default(),
            query: Span::default(),
            host: Span::default(),
            version: Version::default(),
            peer: SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            table: None,
            found: Match::NotFound,
            params: Params::default(),
            broken: None,
            decoded: Decoded::default(),
        }
    }
}

/// Filling, for transports.
impl HeadBuffer {
    /// Forgets the last request, keeps the buffers. In debug builds what was in them is gone, too.
    pub fn clear(&mut self) {
        wipe(&mut self.block);
        self.lower.take();
        self.fields.clear();
        self.lengths = 0;
        self.host = Span::default();
        self.table = None;
        self.found = Match::NotFound;
    }

    /// Makes room for a head of this many bytes and fields.
    pub fn reserve(&mut self, bytes: usize, fields: usize) {
        self.block.reserve(bytes);
        self.fields.reserve(fields);
    }

    /// Gives up buffers that have grown past `keep` bytes.
    #[inline]
    pub fn trim(&mut self, keep: usize) {
        let pairs = keep / size_of::<(Span, Span)>();
        let decoded = self.decoded.text.capacity() > keep || self.decoded.pairs.capacity() > pairs;
        if self.block.capacity() > keep || decoded {
            *self = Self::default();
        }
    }

    /// Adds a field of which name and value are at these places of the block that [`set_block`](Self::set_block) will be given.
    #[inline]
    pub fn index_field(&mut self, name: Span, value: Span) {
        self.lengths |= length_bit(name.len());
        self.fields.push((name, value));
    }

    /// Copies the block that everything is in.
    #[inline]
    pub fn set_block(&mut self, block: &[u8]) {
        self.block.clear();
        self.block.extend_from_slice(block);
    }

    /// The request line, as places in the block, whose bytes the caller has found to be ASCII. The query is without `?`.
    #[inline]
    pub fn set_line(&mut self, version: Version, method: Span, path: Span, query: Span) {
        self.version = version;
        (self.method, self.path, self.query) = (method, path, query);
    }

    /// The authority the request is for, as a place in the block, whose bytes the caller has found to be ASCII.
    #[inline]
    pub fn set_host(&mut self, host: Span) {
        self.host = host;
    }

    /// The request line in a piece of its own: `line` holds method, path and query (without `?`) at these places.
    pub fn start(&mut self, version: Version, line: &str, method: Span, path: Span, query: Span) {
        debug_assert!(self.block.is_empty(), "the line comes first");
        self.block.extend_from_slice(line.as_bytes());
        self.set_line(version, method, path, query);
    }

    /// Adds a field by copying it. `name` is in lower case.
    pub fn push_field(&mut self, name: &str, value: &[u8]) {
        let name = self.push(name.as_bytes());
        let value = self.push(value);
        self.index_field(name, value);
    }

    /// The authority the request is for, in a piece of its own.
    pub fn push_host(&mut self, host: &str) {
        self.host = self.push(host.as_bytes());
    }

    fn push(&mut self, bytes: &[u8]) -> Span {
        let start = self.block.len();
        self.block.extend_from_slice(bytes);
        Span::new(start, self.block.len())
    }

    /// The other end of the connection.
    pub fn set_peer(&mut self, peer: SocketAddr) {
        self.peer = peer;
    }

    /// The number of fields so far.
    pub fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// Finds the route and decodes what is encoded in its parameters and the query. After this the head is complete.
    ///
    /// A path whose parameters can't be decoded (a broken escape, not UTF-8) finds no route, and is answered with 400 in its
    /// place.
    pub fn find_route(&mut self, table: &'static Table) {
        self.table = Some(table);
        self.decoded.text.clear();
        self.decoded.params = 0;
        self.decoded.query = QueryState::Plain;
        self.broken = None;
        let path = &self.block[self.path.range()];
        self.found = table.find(&self.block[self.method.range()], path, &mut self.params);
        if self.params.may_be_escaped()
            && matches!(self.found, Match::Route(_))
            && let Err(broken) = self.decoded.decode_params(path, self.params.spans())
        {
            self.broken = Some(broken);
            self.found = Match::NotFound;
        }
        if self.query.len() > 0 {
            let query = &self.block[self.query.range()];
            if query.iter().any(|byte| matches!(byte, b'%' | b'+')) {
                self.decoded.decode_query(text(query));
            }
        }
    }

    /// The problem with a path that names nothing because it can't be decoded.
    pub(crate) fn undecodable(&self) -> Option<Problem> {
        self.broken
            .map(|broken| Problem::bad_request(format!("the path holds {broken}")))
    }

    /// What the table said, once [`find_route`](Self::find_route) was called.
    pub fn found(&self) -> Match {
        self.found
    }
}

/// Bytes that were found to be ASCII when they came, or came as text.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("a transport lets nothing but text into a request line or a host")
}

/// Of [`HeadBuffer::lengths`].
fn length_bit(length: usize) -> u64 {
    1 << (length % 64)
}

impl Decoded {
    fn decode_params(&mut self, path: &[u8], spans: &[(u32, u32)]) -> Result<(), percent::Broken> {
        for (at, &(start, end)) in spans.iter().enumerate() {
            let raw = &path[start as usize..end as usize];
            if raw.contains(&b'%') {
                let from = self.text.len();
                self.append(|out| percent::decode_path(raw, out))?;
                self.params |= 1 << at;
                self.param_spans[at] = Span::new(from, self.text.len());
            }
        }
        Ok(())
    }

    fn decode_query(&mut self, query: &str) {
        self.pairs.clear();
        let mut pairs = std::mem::take(&mut self.pairs);
        let decoded = self.append(|out| {
            for (key, value) in percent::pairs(query) {
                let start = out.len();
                percent::decode_form(key.as_bytes(), out)?;
                let middle = out.len();
                percent::decode_form(value.as_bytes(), out)?;
                pairs.push((Span::new(start, middle), Span::new(middle, out.len())));
            }
            Ok(())
        });
        self.pairs = pairs;
        self.query = match decoded {
            Ok(()) => QueryState::Decoded,
            Err(_) => QueryState::NotUtf8,
        };
    }

    /// Appends what `decode` does, unless it is broken.
    fn append(
        &mut self,
        decode: impl FnOnce(&mut Vec<u8>) -> Result<(), percent::Broken>,
    ) -> Result<(), percent::Broken> {
        let start = self.text.len();
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        let outcome = decode(&mut bytes);
        if outcome.is_err() {
            bytes.truncate(start);
        }
        self.text = String::from_utf8(bytes).expect("what is decoded is checked piece by piece");
        outcome
    }
}

/// Reading, for [`RequestHead`] and generated code.
impl HeadBuffer {
    fn text(&self, span: Span) -> &str {
        text(&self.block[span.range()])
    }

    fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a [u8]> + Clone {
        debug_assert!(
            !name.bytes().any(|b| b.is_ascii_uppercase()),
            "field names are looked up in lower case"
        );
        let fields = match self.lengths & length_bit(name.len()) {
            0 => &[][..],
            _ => &self.fields,
        };
        // By length first: most names differ in it, and their bytes need no look.
        let found = fields.iter().filter(move |(span, _)| {
            span.len() == name.len() && self.block[span.range()].eq_ignore_ascii_case(name.as_bytes())
        });
        found.map(|(_, value)| &self.block[value.range()])
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lower = self.lower.get_or_init(|| self.block.to_ascii_lowercase());
        self.fields
            .iter()
            .map(|&(name, value)| (&lower[name.range()], &self.block[value.range()]))
    }

    fn route(&self) -> Option<&'static Route> {
        match (self.found, self.table) {
            (Match::Route(at), Some(table)) => Some(&table.routes()[at]),
            _ => None,
        }
    }

    /// The route's parameter at a position, decoded.
    ///
    /// # Panics
    /// The route has fewer parameters.
    pub fn param_at(&self, at: usize) -> &str {
        text(self.param_bytes(at))
    }

    /// As [`param_at`](Self::param_at): the bytes of a text.
    pub(crate) fn param_bytes(&self, at: usize) -> &[u8] {
        if self.decoded.params & (1 << at) != 0 {
            return self.decoded.text[self.decoded.param_spans[at].range()].as_bytes();
        }
        let (start, end) = self.params.spans()[at];
        &self.block[self.path.range()][start as usize..end as usize]
    }

    fn pairs(&self) -> Result<impl Iterator<Item = (&str, &str)> + Clone, Problem> {
        let (raw, pairs): (&str, &[(Span, Span)]) = match self.decoded.query {
            QueryState::Plain => (self.text(self.query), &[]),
            QueryState::Decoded => ("", &self.decoded.pairs),
            QueryState::NotUtf8 => {
                return Err(Problem::of(&problem::kind::INVALID_QUERY).detail("the query is not UTF-8 once decoded"));
            }
        };
        let text = &*self.decoded.text;
        let decoded = pairs
            .iter()
            .map(move |&(key, value)| (&text[key.range()], &text[value.range()]));
        Ok(percent::pairs(raw).chain(decoded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_whatever_the_length_of_its_name() {
        let names = ["a".to_owned(), "b".repeat(63), "c".repeat(64), "d".repeat(65)];
        let mut head = HeadBuffer::default();
        for name in &names {
            assert_eq!(head.field(name), None);
            head.push_field(name, name.as_bytes());
        }
        for name in &names {
            assert_eq!(head.field(name), Some(name.as_bytes()));
        }
        for absent in ["", "b", "bb", "x", &"x".repeat(64), &"x".repeat(128)] {
            assert_eq!(head.field(absent), None, "{absent}");
        }
        head.clear();
        assert_eq!(head.field("a"), None);
    }

    #[test]
    fn a_field_has_a_value_for_each_of_its_lines() {
        let mut head = HeadBuffer::default();
        for (name, value) in [("Accept", "a"), ("Expect", "b"), ("accept", ""), ("ACCEPT", "c")] {
            head.push_field(name, value.as_bytes());
        }
        let values: Vec<_> = head.values("accept").collect();
        assert_eq!(values, [&b"a"[..], b"", b"c"]);
        assert_eq!(head.values("absent").count(), 0);
    }
}
