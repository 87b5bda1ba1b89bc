//! The head of a request, read-only to handlers and middlewares: method, target, fields, peer, route, parameters.
//!
//! [`HeadBuffer`] is the one store behind every transport's head: the bytes, where things are in them, the route they ask
//! for and scratch for what had to be decoded. A transport fills it (through `pw-h1`, or field by field for HTTP/2),
//! calls [`HeadBuffer::find_route`], and only then runs the chain.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::Range;

use crate::route::{Match, Params, Route, Table};
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
        self.buffer().host()
    }

    /// The version.
    fn version(&self) -> Version {
        self.buffer().version
    }

    /// The first value of a field. `name` is in lower case.
    ///
    /// # Panics
    /// In debug builds, if `name` holds a capital: it would never be found.
    fn field(&self, name: &str) -> Option<&[u8]> {
        debug_assert!(
            !name.bytes().any(|b| b.is_ascii_uppercase()),
            "field names are looked up in lower case"
        );
        self.buffer().field(name)
    }

    /// All fields in the order they came in, names in lower case.
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
/// A transport calls [`clear`](Self::clear), [`start`](Self::start), fills in the fields, [`set_host`](Self::set_host) and, last,
/// [`find_route`](Self::find_route).
#[derive(Debug)]
pub struct HeadBuffer {
    text: String,
    method: Span,
    path: Span,
    query: Span,
    host: Span,
    /// The host is in `values` rather than in `text`.
    host_is_field: bool,
    names: Vec<u8>,
    values: Vec<u8>,
    /// Where each field's name is in `names`, and its value in `values`.
    fields: Vec<(Span, Span)>,
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

    fn range(self) -> Range<usize> {
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
            text: String::new(),
            method: Span::default(),
            path: Span::default(),
            query: Span::default(),
            host: Span::default(),
            host_is_field: false,
            names: Vec::new(),
            values: Vec::new(),
            fields: Vec::new(),
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
    /// Forgets the last request, keeps the buffers.
    pub fn clear(&mut self) {
        self.text.clear();
        self.host = Span::default();
        self.host_is_field = false;
        self.names.clear();
        self.values.clear();
        self.fields.clear();
        self.table = None;
        self.found = Match::NotFound;
    }

    /// The request line: `line` is text that holds method, path and query (without `?`) at the given spans.
    pub fn start(&mut self, version: Version, line: &str, method: Span, path: Span, query: Span) {
        self.version = version;
        self.text.push_str(line);
        (self.method, self.path, self.query) = (method, path, query);
    }

    /// As [`start`](Self::start), for a line whose every byte the caller has found to be ASCII.
    ///
    /// # Panics
    /// The line is not UTF-8, so the caller has not looked.
    #[inline]
    pub fn start_ascii(&mut self, version: Version, line: &[u8], method: Span, path: Span, query: Span) {
        // The check for UTF-8 goes sixteen bytes at a time through what is aligned and has no odd end, and a byte at a
        // time through the rest: three times the work for a line of usual length.
        const STEP: usize = 16;
        let mut text = std::mem::take(&mut self.text).into_bytes();
        text.clear();
        text.extend_from_slice(line);
        text.extend_from_slice(&[b' '; STEP]);
        text.truncate(line.len().next_multiple_of(STEP));
        self.text = String::from_utf8(text).expect("the caller has checked that the line is ASCII");
        self.version = version;
        (self.method, self.path, self.query) = (method, path, query);
    }

    /// The authority the request is for.
    pub fn set_host(&mut self, host: &str) {
        let start = self.text.len();
        self.text.push_str(host);
        self.host = Span::new(start, self.text.len());
        self.host_is_field = false;
    }

    /// The authority the request is for, where it is the value of a field in the block that
    /// [`copy_block`](Self::copy_block) was given. The caller has found its every byte to be ASCII.
    pub fn set_host_field(&mut self, value: Span) {
        self.host = value;
        self.host_is_field = true;
    }

    /// The other end of the connection.
    pub fn set_peer(&mut self, peer: SocketAddr) {
        self.peer = peer;
    }

    /// Adds a field. `line` begins with its name of `length` bytes, which is copied and turned to lower case; `value` is where its
    /// value is in the block that [`copy_block`](Self::copy_block) will be given.
    #[inline]
    pub fn index_field(&mut self, line: &[u8], length: usize, value: Span) {
        const CHUNK: usize = 16;
        let start = self.names.len();
        match line.first_chunk::<CHUNK>() {
            // Sixteen bytes at once are a handful of instructions, whatever is behind the name.
            Some(chunk) if length <= CHUNK => {
                let lower = chunk.map(|byte| byte | (u8::from(byte.is_ascii_uppercase()) << 5));
                self.names.extend_from_slice(&lower);
                self.names.truncate(start + length);
            }
            _ => {
                self.names.extend_from_slice(&line[..length]);
                self.names[start..].make_ascii_lowercase();
            }
        }
        self.fields.push((Span::new(start, start + length), value));
    }

    /// Copies the block that holds the values [`index_field`](Self::index_field) has pointed at.
    #[inline]
    pub fn copy_block(&mut self, block: &[u8]) {
        self.values.clear();
        self.values.extend_from_slice(block);
    }

    /// Adds a field by copying it. `name` is in lower case.
    pub fn push_field(&mut self, name: &str, value: &[u8]) {
        let (name_start, value_start) = (self.names.len(), self.values.len());
        self.names.extend_from_slice(name.as_bytes());
        self.values.extend_from_slice(value);
        self.fields.push((
            Span::new(name_start, self.names.len()),
            Span::new(value_start, self.values.len()),
        ));
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
        let path = &self.text[self.path.range()];
        self.found = table.find(&self.text[self.method.range()], path, &mut self.params);
        if matches!(self.found, Match::Route(_))
            && let Err(broken) = self.decoded.decode_params(path, self.params.spans())
        {
            self.broken = Some(broken);
            self.found = Match::NotFound;
        }
        let query = &self.text[self.query.range()];
        if query.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
            self.decoded.decode_query(query);
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

impl Decoded {
    fn decode_params(&mut self, path: &str, spans: &[(u32, u32)]) -> Result<(), percent::Broken> {
        for (at, &(start, end)) in spans.iter().enumerate() {
            let raw = &path[start as usize..end as usize];
            if raw.bytes().any(|byte| byte == b'%') {
                let from = self.text.len();
                percent::decode_path(raw, &mut self.text)?;
                self.params |= 1 << at;
                self.param_spans[at] = Span::new(from, self.text.len());
            }
        }
        Ok(())
    }

    fn decode_query(&mut self, query: &str) {
        self.pairs.clear();
        self.query = QueryState::Decoded;
        for (key, value) in percent::pairs(query) {
            let start = self.text.len();
            let key = percent::decode_form(key, &mut self.text);
            let middle = self.text.len();
            let value = percent::decode_form(value, &mut self.text);
            if key.and(value).is_err() {
                self.query = QueryState::NotUtf8;
                return;
            }
            self.pairs
                .push((Span::new(start, middle), Span::new(middle, self.text.len())));
        }
    }
}

/// Reading, for [`RequestHead`] and generated code.
impl HeadBuffer {
    fn text(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    fn host(&self) -> &str {
        if self.host_is_field {
            std::str::from_utf8(&self.values[self.host.range()]).expect("a transport sets a host that is ASCII")
        } else {
            self.text(self.host)
        }
    }

    fn field(&self, name: &str) -> Option<&[u8]> {
        self.iter().find(|(n, _)| *n == name.as_bytes()).map(|(_, value)| value)
    }

    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields
            .iter()
            .map(|&(name, value)| (&self.names[name.range()], &self.values[value.range()]))
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
        if self.decoded.params & (1 << at) != 0 {
            return &self.decoded.text[self.decoded.param_spans[at].range()];
        }
        let (start, end) = self.params.spans()[at];
        &self.text(self.path)[start as usize..end as usize]
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
