//! The fields that decide how a message is read: what each says by itself, line by line, and what they say together.

use std::ops::Range;

use pw_core::problem::kind;
use pw_core::{Span, Version};

use crate::class::{TOKEN, is};
use crate::head::Framing;
use crate::scan::fold;
use crate::{Refusal, authority};

const HOST: u64 = u64::from_le_bytes(*b"host\0\0\0\0");
const EXPECT: u64 = u64::from_le_bytes(*b"expect\0\0");
const UPGRADE: u64 = u64::from_le_bytes(*b"upgrade\0");
const CONNECTI: u64 = u64::from_le_bytes(*b"connecti");
const EP_ALIVE: u64 = u64::from_le_bytes(*b"ep-alive");
const ON: u64 = u64::from_le_bytes(*b"on\0\0\0\0\0\0");
const CONTENT_: u64 = u64::from_le_bytes(*b"content-");
const TRANSFER: u64 = u64::from_le_bytes(*b"transfer");
const CLOSE: u64 = u64::from_le_bytes(*b"close\0\0\0");
const KEEP_ALI: u64 = u64::from_le_bytes(*b"keep-ali");

/// What the fields of a head have said so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Control {
    host: Option<Span>,
    length: Option<u64>,
    said: Said,
    /// The last host that was found to be one, also of a head before this.
    valid_host: ValidHost,
}

/// A host that was found to be one, if it is not long.
#[derive(Clone, Copy, Debug)]
struct ValidHost {
    bytes: [u8; 64],
    length: usize,
}

impl Default for ValidHost {
    fn default() -> Self {
        Self {
            bytes: [0; 64],
            length: 0,
        }
    }
}

impl ValidHost {
    /// Whether it is this one. Nothing is none.
    #[inline(always)]
    fn is(&self, name: &[u8]) -> bool {
        self.length == name.len() && self.bytes.get(..name.len()) == Some(name) && !name.is_empty()
    }

    fn set(&mut self, name: &[u8]) {
        if let Some(bytes) = self.bytes.get_mut(..name.len()) {
            bytes.copy_from_slice(name);
            self.length = name.len();
        }
    }
}

/// What is said or not.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    chunked: bool,
    close: bool,
    keep_alive: bool,
    upgrade_option: bool,
    upgrade: bool,
    expect_continue: bool,
}

impl Control {
    /// Takes note of a field. `line` begins with its name of `length` bytes; `value` is where its value is in `bytes`.
    #[inline(always)]
    pub(crate) fn note(
        &mut self,
        bytes: &[u8],
        line: &[u8],
        length: usize,
        value: &Range<usize>,
    ) -> Result<(), Refusal> {
        let begins = |word: u64| fold(line, length) == word;
        let goes_on = |rest: &[u8]| line[8..length].eq_ignore_ascii_case(rest);
        let text = || &bytes[value.clone()];
        match length {
            4 if begins(HOST) => self.note_host(bytes, value.clone()),
            6 if begins(EXPECT) => self.note_expect(text()),
            7 if begins(UPGRADE) => {
                self.said.upgrade = true;
                Ok(())
            }
            10 if begins(CONNECTI) && fold(&line[8..], 2) == ON => {
                self.note_connection(text());
                Ok(())
            }
            14 if begins(CONTENT_) && goes_on(b"length") => self.note_length(text()),
            17 if begins(TRANSFER) && goes_on(b"-encoding") => self.note_coding(text()),
            _ => Ok(()),
        }
    }

    fn note_host(&mut self, bytes: &[u8], value: Range<usize>) -> Result<(), Refusal> {
        if self.host.is_some() {
            return Err(Refusal::bad("Host is sent more than once"));
        }
        // A client names the same host with every request: one that was valid is not judged again.
        let name = &bytes[value.clone()];
        if !self.valid_host.is(name) {
            if !authority::is_valid(name) {
                return Err(Refusal::bad("Host is not a host and an optional port"));
            }
            self.valid_host.set(name);
        }
        self.host = Some(Span::new(value.start, value.end));
        Ok(())
    }

    /// Forgets a head. What it knows of hosts stays true.
    pub(crate) fn clear(&mut self) {
        (self.host, self.length, self.said) = (None, None, Said::default());
    }

    /// Digits, and no second opinion: neither a repeated field nor a list, not even of equal numbers, and no leading zero, which
    /// some read as octal. Above 18 digits it is no length anyone means.
    fn note_length(&mut self, value: &[u8]) -> Result<(), Refusal> {
        if self.length.is_some() {
            return Err(Refusal::bad("Content-Length is sent more than once"));
        }
        let mut length = 0u64;
        for &digit in value {
            if !digit.is_ascii_digit() {
                return Err(Refusal::bad("Content-Length is not a number"));
            }
            length = length.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        }
        match value {
            [] => return Err(Refusal::bad("Content-Length is empty")),
            [b'0', _, ..] => return Err(Refusal::bad("Content-Length begins with a zero")),
            _ if value.len() > 18 => return Err(Refusal::bad("Content-Length is too large")),
            _ => {}
        }
        self.length = Some(length);
        Ok(())
    }

    fn note_coding(&mut self, value: &[u8]) -> Result<(), Refusal> {
        if self.said.chunked {
            return Err(Refusal::bad("Transfer-Encoding is sent more than once"));
        }
        if !value.eq_ignore_ascii_case(b"chunked") {
            return Err(wrong_coding(value));
        }
        self.said.chunked = true;
        Ok(())
    }

    fn note_connection(&mut self, value: &[u8]) {
        if !self.note_option(value) && memchr::memchr(b',', value).is_some() {
            for option in value.split(|&b| b == b',') {
                self.note_option(option.trim_ascii());
            }
        }
    }

    /// Whether it is one that means something here.
    fn note_option(&mut self, option: &[u8]) -> bool {
        match option.len() {
            5 if fold(option, 5) == CLOSE => self.said.close = true,
            7 if fold(option, 7) == UPGRADE => self.said.upgrade_option = true,
            10 if fold(option, 8) == KEEP_ALI && fold(&option[2..], 8) == EP_ALIVE => self.said.keep_alive = true,
            _ => return false,
        }
        true
    }

    fn note_expect(&mut self, value: &[u8]) -> Result<(), Refusal> {
        if !value.eq_ignore_ascii_case(b"100-continue") {
            return Err(Refusal::new(
                &kind::EXPECTATION_FAILED,
                "the only expectation this server meets is 100-continue",
            ));
        }
        self.said.expect_continue = true;
        Ok(())
    }

    /// Where the value of `Host` is.
    pub(crate) fn host(&self) -> Option<Span> {
        self.host
    }

    /// How the body is delimited (RFC 9112 6.3).
    pub(crate) fn framing(&self, version: Version) -> Result<Framing, Refusal> {
        match (self.said.chunked, self.length) {
            (false, None) => Ok(Framing::None),
            (false, Some(length)) => Ok(Framing::Length(length)),
            (true, Some(_)) => Err(Refusal::bad("Transfer-Encoding and Content-Length are sent together")),
            (true, None) if version == Version::Http10 => {
                Err(Refusal::bad("Transfer-Encoding has no meaning in HTTP/1.0"))
            }
            (true, None) => Ok(Framing::Chunked),
        }
    }

    /// Whether the client wants the connection kept (RFC 9112 9.3).
    pub(crate) fn keep_alive(&self, version: Version) -> bool {
        !self.said.close && (self.said.keep_alive || version != Version::Http10)
    }

    /// Whether the client waits for an interim answer before it sends its body.
    pub(crate) fn expect_continue(&self, version: Version, framing: Framing) -> bool {
        // HTTP/1.0 knows no interim answers, and the expectation is ignored there (RFC 9110 10.1.1).
        let has_body = !matches!(framing, Framing::None | Framing::Length(0));
        self.said.expect_continue && has_body && version != Version::Http10
    }

    /// Whether the client offers to change the protocol (RFC 9110 7.8).
    pub(crate) fn upgrade(&self, version: Version) -> bool {
        self.said.upgrade && self.said.upgrade_option && version != Version::Http10
    }
}

/// 501 for a list of codings of which this server knows not all, 400 for anything else.
#[cold]
fn wrong_coding(value: &[u8]) -> Refusal {
    let mut unknown = false;
    for coding in value.split(|&b| b == b',') {
        let coding = coding.trim_ascii();
        if coding.is_empty() || !coding.iter().all(|&b| is(b, TOKEN)) {
            return Refusal::bad("Transfer-Encoding is malformed");
        }
        unknown |= !coding.eq_ignore_ascii_case(b"chunked");
    }
    let last = value.rsplit(|&b| b == b',').next().unwrap_or_default().trim_ascii();
    if unknown && !value.is_empty() && (last.len() == value.len() || last.eq_ignore_ascii_case(b"chunked")) {
        Refusal::new(
            &kind::NOT_IMPLEMENTED,
            "the only transfer coding this server knows is chunked",
        )
    } else {
        Refusal::bad("Transfer-Encoding does not end in one chunked")
    }
}
