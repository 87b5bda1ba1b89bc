//! The body of a request: a length, or chunks (RFC 9112 7.1), resumable at every byte.

use std::ops::Range;

use pw_core::problem::kind;
use pw_core::{Limits, Trailers};

use crate::class::{TOKEN, is};
use crate::{Framing, Refusal, scan};

/// One step through a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that are done with, data included.
    pub consumed: usize,
    /// Where in the input the body's own bytes are; perhaps none.
    pub data: Range<usize>,
    /// The body is whole.
    pub end: bool,
}

/// Reads a body as its bytes come, without keeping any.
///
/// ```
/// use pw_core::Limits;
/// use pw_h1::{BodyDecoder, Framing};
///
/// let (mut decoder, limits) = (BodyDecoder::new(Framing::Chunked), Limits::default());
/// let (mut input, mut body) = (&b"5\r\nhello\r\n0\r\n\r\nGET"[..], Vec::new());
/// while !decoder.is_end() {
///     let step = decoder.decode(input, &limits).unwrap();
///     body.extend_from_slice(&input[step.data]);
///     input = &input[step.consumed..];
/// }
/// assert_eq!((&body[..], input), (&b"hello"[..], &b"GET"[..]));
/// ```
#[derive(Clone, Debug)]
pub struct BodyDecoder {
    state: State,
    /// Bytes of data still to come, of the body or of the chunk; the size, while it is being read.
    remaining: u64,
    /// Bytes of data that have come in chunks.
    data: u64,
    /// Bytes that have come and are not data, but for trailers.
    overhead: u64,
    trailer_bytes: usize,
    trailer_fields: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Within a body of known length.
    Length,
    /// Within a chunk size of which this many digits have come.
    Size(u8),
    /// In white space that must lead to an extension.
    BeforeExtension,
    /// After `;`.
    BeforeName,
    Name,
    /// In white space after the name of an extension.
    AfterName,
    /// After `=`.
    BeforeValue,
    Token,
    Quoted,
    /// After `\` in a quoted value.
    Escaped,
    /// Right after a quoted value.
    AfterQuoted,
    /// After the CR that ends a size.
    SizeEnd,
    Data,
    /// After a chunk's data, then after its CR.
    DataEnd,
    DataEndLf,
    /// At the beginning of a trailer line.
    Trailer,
    TrailerName,
    TrailerValue,
    /// After the CR of a trailer line.
    TrailerLf,
    /// After the CR of the last, empty line.
    LastLf,
    End,
}

/// Digits of a chunk size: as many as 64 bits have.
const MAX_DIGITS: u8 = 16;

impl BodyDecoder {
    /// A decoder at the beginning of a body.
    pub const fn new(framing: Framing) -> Self {
        let (state, remaining) = match framing {
            Framing::None | Framing::Length(0) => (State::End, 0),
            Framing::Length(length) => (State::Length, length),
            Framing::Chunked => (State::Size(0), 0),
        };
        Self {
            state,
            remaining,
            data: 0,
            overhead: 0,
            trailer_bytes: 0,
            trailer_fields: 0,
        }
    }

    /// Whether the body is whole.
    pub const fn is_end(&self) -> bool {
        matches!(self.state, State::End)
    }

    /// Bytes of the body that are known to come: all that are missing of a body with a length, those of the chunk at hand
    /// otherwise. With what has come already, this is what a limit can be held against before the bytes arrive.
    pub const fn remaining_declared(&self) -> u64 {
        match self.state {
            State::Length | State::Data => self.remaining,
            _ => 0,
        }
    }

    /// Goes on with bytes that follow those consumed so far: up to the end of the input, of a run of data, or of the body. A step
    /// that consumes nothing before the end of the body asks for more bytes.
    ///
    /// # Errors
    /// What breaks the grammar, or a limit. The decoder can't be used after it.
    pub fn decode(&mut self, input: &[u8], limits: &Limits) -> Result<Step, Refusal> {
        self.step(input, limits, None)
    }

    /// As [`decode`](Self::decode), and keeps the trailers, which are complete when the body is.
    ///
    /// # Errors
    /// As `decode`. Then what is kept is not complete and shows nothing.
    #[inline]
    pub fn decode_with(&mut self, input: &[u8], limits: &Limits, trailers: &mut Trailers) -> Result<Step, Refusal> {
        self.step(input, limits, Some(trailers))
    }

    fn step(&mut self, input: &[u8], limits: &Limits, mut trailers: Option<&mut Trailers>) -> Result<Step, Refusal> {
        let mut at = 0;
        while at < input.len() && !self.is_end() {
            if matches!(self.state, State::Length | State::Data) {
                let length = usize::try_from(self.remaining).map_or(input.len() - at, |n| n.min(input.len() - at));
                self.take_data(length as u64);
                return Ok(Step {
                    consumed: at + length,
                    data: at..at + length,
                    end: self.is_end(),
                });
            }
            at = if matches!(
                self.state,
                State::Trailer | State::TrailerName | State::TrailerValue | State::TrailerLf | State::LastLf
            ) {
                let next = self.take_trailer(input, at, limits)?;
                if let Some(trailers) = trailers.as_deref_mut() {
                    match self.state {
                        State::LastLf => {}
                        State::End => trailers.complete(),
                        _ => trailers.append(&input[at..next]),
                    }
                }
                next
            } else {
                self.take_size(input, at, limits)?
            };
        }
        Ok(Step {
            consumed: at,
            data: at..at,
            end: self.is_end(),
        })
    }

    fn take_data(&mut self, length: u64) {
        self.remaining -= length;
        if self.state == State::Data {
            self.data = self.data.saturating_add(length);
        }
        if self.remaining == 0 {
            self.state = match self.state {
                State::Data => State::DataEnd,
                _ => State::End,
            };
        }
    }

    /// Takes one byte of a size line, or of what follows a chunk's data.
    fn take_size(&mut self, input: &[u8], at: usize, limits: &Limits) -> Result<usize, Refusal> {
        self.overhead += 1;
        if self.overhead > self.data.saturating_add(limits.chunk_overhead as u64) {
            return Err(Refusal::bad("the body is chunked into too many or too long pieces"));
        }
        let byte = input[at];
        self.state = match (self.state, byte) {
            (State::Size(digits), _) if byte.is_ascii_hexdigit() => self.take_digit(digits, byte)?,
            (State::Size(0), _) => return Err(Refusal::bad("a chunk size is not a hexadecimal number")),
            (State::Size(_) | State::Name | State::AfterName | State::Token | State::AfterQuoted, b';')
            | (State::BeforeExtension, b';') => State::BeforeName,
            (State::Size(_) | State::Name | State::Token | State::AfterQuoted, b'\r') => State::SizeEnd,
            (State::Size(_) | State::Token | State::AfterQuoted | State::BeforeExtension, b' ' | b'\t') => {
                State::BeforeExtension
            }
            (State::Size(_), _) => return Err(Refusal::bad("a chunk size is not a hexadecimal number and CR LF")),
            (State::BeforeName | State::BeforeValue, b' ' | b'\t') => self.state,
            (State::BeforeName | State::Name, _) if is(byte, TOKEN) => State::Name,
            (State::Name | State::AfterName, b' ' | b'\t') => State::AfterName,
            (State::Name | State::AfterName, b'=') => State::BeforeValue,
            (State::BeforeValue, b'"') => State::Quoted,
            (State::BeforeValue | State::Token, _) if is(byte, TOKEN) => State::Token,
            (State::Quoted, b'"') => State::AfterQuoted,
            (State::Quoted, b'\\') => State::Escaped,
            (State::Quoted | State::Escaped, _) if pw_core::is_field_byte(byte) => State::Quoted,
            (State::SizeEnd, b'\n') if self.remaining == 0 => State::Trailer,
            (State::SizeEnd, b'\n') => State::Data,
            (State::SizeEnd, _) => return Err(Refusal::bad("CR stands without LF")),
            (State::DataEnd, b'\r') => State::DataEndLf,
            (State::DataEndLf, b'\n') => State::Size(0),
            (State::DataEnd | State::DataEndLf, _) => {
                return Err(Refusal::bad("the data of a chunk is not followed by CR LF"));
            }
            _ => return Err(Refusal::bad("a chunk extension is malformed")),
        };
        if self.state == State::Size(0) {
            self.remaining = 0;
        }
        Ok(at + 1)
    }

    fn take_digit(&mut self, digits: u8, byte: u8) -> Result<State, Refusal> {
        if digits == MAX_DIGITS {
            return Err(Refusal::bad("a chunk size has too many digits"));
        }
        let digit = char::from(byte).to_digit(16).expect("a hexadecimal digit");
        self.remaining = self.remaining << 4 | u64::from(digit);
        Ok(State::Size(digits + 1))
    }

    /// Takes a piece of the trailer section. Its fields are checked as those of a head.
    fn take_trailer(&mut self, input: &[u8], at: usize, limits: &Limits) -> Result<usize, Refusal> {
        let room = limits.trailers - self.trailer_bytes;
        let input = &input[..input.len().min(at.saturating_add(room))];
        let Some(&byte) = input.get(at) else {
            return Err(Refusal::new(
                &kind::HEADER_FIELDS_TOO_LARGE,
                "the trailers are too large",
            ));
        };
        let mut next = at + 1;
        self.state = match (self.state, byte) {
            (State::Trailer, b'\r') => State::LastLf,
            (State::Trailer, _) if is(byte, TOKEN) => {
                if self.trailer_fields == limits.trailer_fields {
                    return Err(Refusal::new(
                        &kind::HEADER_FIELDS_TOO_LARGE,
                        "there are too many trailers",
                    ));
                }
                self.trailer_fields += 1;
                State::TrailerName
            }
            (State::TrailerName, b':') => State::TrailerValue,
            (State::TrailerName, _) if is(byte, TOKEN) => {
                next = scan::token_end(input, at, b':');
                State::TrailerName
            }
            (State::TrailerValue, b'\r') => State::TrailerLf,
            (State::TrailerValue, _) if pw_core::is_field_byte(byte) => {
                next = scan::value_end(input, at);
                State::TrailerValue
            }
            (State::TrailerLf, b'\n') => State::Trailer,
            (State::LastLf, b'\n') => State::End,
            _ => return Err(Refusal::bad("a trailer is malformed")),
        };
        self.trailer_bytes += next - at;
        Ok(next)
    }
}
