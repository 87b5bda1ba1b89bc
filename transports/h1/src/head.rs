//! The head of a request, from raw bytes to a verdict.
//!
//! One pass from left to right that stops where the input does and goes on from there when there is more: what has been
//! looked at is not looked at again, and a head that is wrong is refused at its first wrong byte, however the bytes came.
//! The parser does not route, and does not know whether a method or a path exists.

use std::ops::Range;

use pw_core::problem::kind;
use pw_core::{HeadBuffer, Limits, Span, Version};

use crate::Refusal;
use crate::class::{PATH, QUERY};
use crate::field::Control;
use crate::scan;
use crate::target::{self, Target};

/// How the body of a request is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// There is no body.
    None,
    /// This many bytes.
    Length(u64),
    /// The chunked transfer coding.
    Chunked,
}

/// What a head means for the connection. The rest is in the [`HeadBuffer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Where the request line begins: the bytes of empty lines before it.
    pub start: usize,
    /// Bytes of the input the head takes, with what is before `start`. The body follows.
    pub consumed: usize,
    /// HTTP/1.0 or HTTP/1.1.
    pub version: Version,
    /// The method is `HEAD`: the answer has no content.
    pub is_head: bool,
    /// How the body is delimited.
    pub framing: Framing,
    /// The client wants to keep the connection.
    pub keep_alive: bool,
    /// The client waits for `100 Continue` before it sends its body, of which there is one.
    pub expect_continue: bool,
    /// The client offers another protocol: `Upgrade` is there and `Connection` names it.
    pub upgrade: bool,
}

/// A parser of request heads that goes on where it stopped. One serves a connection, head after head.
///
/// ```
/// use pw_core::{HeadBuffer, Limits};
/// use pw_h1::{Framing, HeadParser};
///
/// let (mut parser, mut head, limits) = (HeadParser::default(), HeadBuffer::default(), Limits::default());
/// let input = b"POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nhello";
/// assert_eq!(parser.parse(&input[..30], &limits, &mut head).unwrap(), None);
/// let verdict = parser.parse(input, &limits, &mut head).unwrap().unwrap();
/// assert_eq!(verdict.framing, Framing::Length(5));
/// assert_eq!(&input[verdict.consumed..], b"hello");
/// ```
#[derive(Clone, Debug, Default)]
pub struct HeadParser {
    stage: Stage,
    /// Bytes before this are of an allowed kind and need no second look.
    at: usize,
    /// Where the request line begins, where its method and its target end, and where the target's first `?` is.
    start: usize,
    method_end: usize,
    target_end: usize,
    question: Option<usize>,
    version: Version,
    /// What a target that is no mere path and query says.
    target: Option<Target>,
    /// Where the field being read begins, and its name ends.
    line: usize,
    name_end: usize,
    control: Control,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    /// Before the request line, where empty lines may be.
    #[default]
    Before,
    Method,
    Target,
    Version,
    Name,
    Value,
}

/// Empty lines that may stand before a request line (RFC 9112 2.2 asks for one at least).
const EMPTY_LINES: usize = 4;

impl HeadParser {
    /// Parses a head, or as much of it as is there. `None`: more bytes are needed.
    ///
    /// While it says `None`, every call is given the same bytes and more after them, and the same `head`. After a verdict
    /// `head` holds method, target, fields and host, but no route; the next call begins with another head.
    ///
    /// # Errors
    /// The first thing that is wrong. The parser can't be used after it.
    #[inline]
    pub fn parse(&mut self, input: &[u8], limits: &Limits, head: &mut HeadBuffer) -> Result<Option<Verdict>, Refusal> {
        self.parse_within(input, input.len(), limits, head)
    }

    /// As [`parse`](Self::parse), for an input that is the first `length` bytes of a buffer. Whatever stands behind them changes
    /// nothing; that there is something lets the last lines be read in larger steps, too.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    ///
    /// # Panics
    /// The buffer is shorter than `length`.
    pub fn parse_within(
        &mut self,
        buffer: &[u8],
        length: usize,
        limits: &Limits,
        head: &mut HeadBuffer,
    ) -> Result<Option<Verdict>, Refusal> {
        let bytes = &buffer[..length.min(limits.head)];
        match self.advance(bytes, buffer, limits, head) {
            Ok(true) => {}
            Ok(false) if bytes.len() < limits.head => return Ok(None),
            Ok(false) => return Err(self.refuse(bytes, self.too_large())),
            Err(refusal) => return Err(self.refuse(bytes, refusal)),
        }
        match self.finish(bytes, head) {
            Ok(verdict) => {
                self.clear();
                Ok(Some(verdict))
            }
            Err(refusal) => Err(self.refuse(bytes, refusal)),
        }
    }

    /// Begins with another head.
    fn clear(&mut self) {
        self.control.clear();
        (self.stage, self.at) = (Stage::Before, 0);
        (self.question, self.target) = (None, None);
    }

    /// Whether it stands at the beginning of a head of which no byte has come but those of empty lines.
    pub fn is_idle(&self) -> bool {
        self.stage == Stage::Before
    }

    #[cold]
    fn refuse(&self, bytes: &[u8], refusal: Refusal) -> Refusal {
        Refusal {
            to_head: self.stage > Stage::Method && self.method(bytes) == b"HEAD",
            ..refusal
        }
    }

    #[cold]
    fn too_large(&self) -> Refusal {
        if self.stage == Stage::Target {
            return Refusal::new(&kind::URI_TOO_LONG, "the target is too long");
        }
        Refusal::new(&kind::HEADER_FIELDS_TOO_LARGE, "the head is too large")
    }

    fn method<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        &bytes[self.start..self.method_end]
    }

    /// Goes through the bytes as far as they reach. True: the head is whole, and `at` is its end.
    #[inline]
    fn advance(
        &mut self,
        bytes: &[u8],
        buffer: &[u8],
        limits: &Limits,
        head: &mut HeadBuffer,
    ) -> Result<bool, Refusal> {
        if self.stage < Stage::Name && !(self.advance_line(bytes, limits, head)?) {
            return Ok(false);
        }
        Ok(self.advance_usual_fields(bytes, buffer, limits, head)? || self.advance_fields(bytes, limits, head)?)
    }

    fn advance_line(&mut self, bytes: &[u8], limits: &Limits, head: &mut HeadBuffer) -> Result<bool, Refusal> {
        if self.stage == Stage::Before {
            while let Some(b'\r' | b'\n') = bytes.get(self.at) {
                match bytes[self.at..] {
                    _ if self.at >= 2 * EMPTY_LINES => {
                        return Err(Refusal::bad("too many empty lines before the request line"));
                    }
                    [b'\r'] => return Ok(false),
                    [b'\r', b'\n', ..] => self.at += 2,
                    _ => return Err(Refusal::bad("a line does not end in CR LF")),
                }
            }
            if self.at == bytes.len() {
                return Ok(false);
            }
            head.clear();
            self.start = self.at;
            self.stage = Stage::Method;
        }
        if self.stage == Stage::Method {
            let at = match bytes[self.at..].starts_with(b"GET ") {
                true => self.at + 3,
                false => scan::token_end(bytes, self.at, b' '),
            };
            self.at = at;
            match bytes.get(at) {
                None => return Ok(false),
                Some(b' ') if at > self.start => {}
                Some(_) => return Err(Refusal::bad("the method is not a token followed by a space")),
            }
            self.method_end = at;
            self.at = at + 1;
            self.stage = Stage::Target;
        }
        if self.stage == Stage::Target {
            if !self.advance_target(bytes, limits.target)? {
                return Ok(false);
            }
            self.stage = Stage::Version;
        }
        let Some(version) = read_version(bytes, self.at)? else {
            return Ok(false);
        };
        self.version = version;
        if bytes[self.method_end + 1] != b'/' || self.method(bytes) == b"CONNECT" {
            let target = self.method_end + 1..self.target_end;
            self.target = Some(target::read(bytes, self.method(bytes), target, self.question)?);
        }
        self.at += VERSION_LINE;
        self.line = self.at;
        self.stage = Stage::Name;
        Ok(true)
    }

    #[inline(always)]
    fn advance_target(&mut self, bytes: &[u8], limit: usize) -> Result<bool, Refusal> {
        let (start, mut at) = (self.method_end + 1, self.at);
        let bytes = &bytes[..bytes.len().min((start + 1).saturating_add(limit))];
        if self.question.is_none() {
            at = scan::path_end(bytes, at, PATH);
        }
        if self.question.is_some() || bytes.get(at) == Some(&b'?') {
            self.question.get_or_insert(at);
            at = scan::path_end(bytes, at, QUERY);
        }
        self.at = at;
        if at - start > limit {
            return Err(Refusal::new(&kind::URI_TOO_LONG, "the target is too long"));
        }
        match bytes.get(at) {
            None => Ok(false),
            Some(b' ') if at > start => {
                self.target_end = at;
                self.at = at + 1;
                Ok(true)
            }
            Some(b' ') => Err(Refusal::bad("more than one space follows the method")),
            Some(b'\r' | b'\n') => Err(Refusal::bad("the request line has no version")),
            Some(_) => Err(Refusal::bad("the target holds a character that is not allowed there")),
        }
    }

    /// Goes through the lines that are all there, short and as most are, and stops at the first that is not. True: the head is
    /// whole.
    fn advance_usual_fields(
        &mut self,
        bytes: &[u8],
        buffer: &[u8],
        limits: &Limits,
        head: &mut HeadBuffer,
    ) -> Result<bool, Refusal> {
        let mut at = self.line;
        let whole = loop {
            let Some(window) = buffer.get(at..).and_then(|rest| rest.first_chunk()) else {
                break false;
            };
            let Some((name, end)) = scan::usual_line(window) else {
                break window.starts_with(b"\r\n") && at + 2 <= bytes.len();
            };
            let next = at + end + 2;
            if next > bytes.len() || head.field_count() >= limits.fields {
                break false;
            }
            let value = at + name + 2..at + end;
            self.control.note(buffer, window, name, &value)?;
            head.index_field(Span::new(at, at + name), Span::new(value.start, value.end));
            at = next;
        };
        if at > self.line {
            (self.at, self.line, self.stage) = (at, at, Stage::Name);
        }
        self.at += if whole { 2 } else { 0 };
        Ok(whole)
    }

    fn advance_fields(&mut self, bytes: &[u8], limits: &Limits, head: &mut HeadBuffer) -> Result<bool, Refusal> {
        let (mut at, mut line, mut name_end) = (self.at, self.line, self.name_end);
        let mut stage = self.stage;
        let result = loop {
            if stage == Stage::Name {
                at = scan::token_end(bytes, at, b':');
                match bytes.get(at) {
                    Some(b':') if at > line => {}
                    None => break Ok(false),
                    Some(b'\r') if at == line => match bytes.get(at + 1) {
                        None => break Ok(false),
                        Some(b'\n') => {
                            at += 2;
                            break Ok(true);
                        }
                        Some(_) => break Err(Refusal::bad("CR stands without LF")),
                    },
                    Some(&other) => break Err(wrong_name(other, at == line)),
                }
                if head.field_count() >= limits.fields {
                    break Err(Refusal::new(
                        &kind::HEADER_FIELDS_TOO_LARGE,
                        "there are too many fields",
                    ));
                }
                name_end = at;
                at += 1;
            }
            at = scan::value_end(bytes, at);
            if bytes.get(at..).and_then(|rest| rest.first_chunk()) != Some(b"\r\n") {
                stage = Stage::Value;
                match bytes.get(at..).unwrap_or_default() {
                    [] | [b'\r'] => break Ok(false),
                    [other, ..] => break Err(wrong_value(*other)),
                }
            }
            let value = scan::trim(bytes, name_end + 1, at);
            let field = &bytes[line..];
            if let Err(refusal) = self.control.note(bytes, field, name_end - line, &value) {
                break Err(refusal);
            }
            head.index_field(Span::new(line, name_end), Span::new(value.start, value.end));
            at += 2;
            line = at;
            stage = Stage::Name;
        };
        (self.at, self.line, self.name_end, self.stage) = (at, line, name_end, stage);
        result
    }

    /// What the lines say together, once they are all there.
    #[inline]
    fn finish(&self, bytes: &[u8], head: &mut HeadBuffer) -> Result<Verdict, Refusal> {
        let version = self.version;
        let framing = self.control.framing(version)?;
        let host = self.control.host();
        if host.is_none() && version != Version::Http10 {
            return Err(Refusal::bad("Host is missing"));
        }
        let span = |range: Range<usize>| Span::new(range.start, range.end);
        let (path, query, host) = match &self.target {
            None => {
                let (path, query) = target::split(self.method_end + 1..self.target_end, self.question);
                (path, query, host)
            }
            Some(target) => {
                let authority = target.authority.clone().map(span);
                (target.path.clone(), target.query.clone(), authority.or(host))
            }
        };
        head.set_block(&bytes[..self.at]);
        head.set_line(version, span(self.start..self.method_end), span(path), span(query));
        if let Some(host) = host {
            head.set_host(host);
        }
        Ok(Verdict {
            start: self.start,
            consumed: self.at,
            version,
            is_head: self.method(bytes) == b"HEAD",
            framing,
            keep_alive: self.control.keep_alive(version),
            expect_continue: self.control.expect_continue(version, framing),
            upgrade: self.control.upgrade(version),
        })
    }
}

/// `HTTP/1.1` and CR LF.
const VERSION_LINE: usize = 10;

/// Reads what ends a request line, from `at` on. `None`: there is more to come.
#[inline(always)]
fn read_version(bytes: &[u8], at: usize) -> Result<Option<Version>, Refusal> {
    const HTTP11: u64 = u64::from_le_bytes(*b"HTTP/1.1");
    const HTTP10: u64 = u64::from_le_bytes(*b"HTTP/1.0");
    let rest = &bytes[at..];
    if let Some((version, b"\r\n")) = rest
        .first_chunk::<VERSION_LINE>()
        .and_then(|line| line.split_first_chunk())
    {
        match u64::from_le_bytes(*version) {
            HTTP11 => return Ok(Some(Version::Http11)),
            HTTP10 => return Ok(Some(Version::Http10)),
            _ => {}
        }
    }
    wrong_version(rest)
}

/// Says what is wrong with a version, if it isn't only short.
#[cold]
fn wrong_version(bytes: &[u8]) -> Result<Option<Version>, Refusal> {
    const PATTERN: &[u8; VERSION_LINE] = b"HTTP/9.9\r\n";
    for (&byte, &want) in bytes.iter().zip(PATTERN) {
        if !(byte == want || (want == b'9' && byte.is_ascii_digit())) {
            return Err(Refusal::bad("the request line does not end in HTTP/1.1 and CR LF"));
        }
    }
    match bytes.get(..8) {
        Some(b"HTTP/1.1" | b"HTTP/1.0") | None => Ok(None),
        Some(_) if bytes.len() < VERSION_LINE => Ok(None),
        Some(_) => Err(Refusal::new(
            &kind::VERSION_NOT_SUPPORTED,
            "this server speaks HTTP/1.0 and HTTP/1.1 here",
        )),
    }
}

#[cold]
fn wrong_name(byte: u8, at_start: bool) -> Refusal {
    Refusal::bad(match byte {
        b' ' | b'\t' if at_start => "a field is folded over lines, or white space precedes it",
        b' ' | b'\t' => "white space stands in or after a field name",
        b':' => "a field name is empty",
        b'\r' | b'\n' if !at_start => "a field line has no colon",
        b'\n' => "LF stands without CR",
        _ => "a field name holds a character that is not allowed there",
    })
}

#[cold]
fn wrong_value(byte: u8) -> Refusal {
    Refusal::bad(match byte {
        b'\r' => "CR stands without LF",
        b'\n' => "LF stands without CR",
        _ => "a field value holds a control character",
    })
}
