//! From a client's bytes to messages (RFC 6455 5.4 to 5.6, 8.1), without I/O: bytes in, as they come; events out.
//!
//! Whatever is wrong is found at the byte that makes it wrong. Memory grows with what has come, never with what is announced, and an
//! [`Inbound`] between two frames holds none.

use crate::frame::{self, Header, MAX_HEADER, Opcode, Violation};
use crate::{Close, CloseCode, Message};

/// What has come.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Message(Message),
    Ping(Vec<u8>),
    /// What there is nothing to do for: a pong, or a piece of a message without content.
    Nothing,
    /// The last there is.
    Close(Close),
}

/// The state between two bytes.
#[derive(Debug)]
pub(crate) struct Inbound {
    max_message: usize,
    max_frame: usize,
    /// The beginning of a header.
    beginning: [u8; MAX_HEADER],
    have: u8,
    /// The frame whose payload is coming, and how much of that has come.
    frame: Option<(Header, u64)>,
    /// The payload of a control frame so far.
    control: Vec<u8>,
    /// The message so far.
    message: Option<Partial>,
}

#[derive(Debug)]
struct Partial {
    bytes: Vec<u8>,
    text: bool,
    /// How much of a text is known to be whole characters.
    valid: usize,
}

impl Inbound {
    /// The limits are in bytes of payload.
    pub(crate) fn new(max_message: usize, max_frame: usize) -> Self {
        Self {
            max_message,
            max_frame,
            beginning: [0; MAX_HEADER],
            have: 0,
            frame: None,
            control: Vec::new(),
            message: None,
        }
    }

    /// Takes bytes off the front of `input`, up to the end of the next event. `None`: it took all, and there is no event yet.
    pub(crate) fn take(&mut self, input: &mut &[u8]) -> Result<Option<Event>, Violation> {
        loop {
            let (header, done) = match self.frame {
                Some(frame) => frame,
                None => match self.take_header(input)? {
                    Some(header) => (header, 0),
                    None => return Ok(None),
                },
            };
            let left = header.length - done;
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
            let piece = input.split_off(..count).expect("it is no longer than the input");
            let ends = count as u64 == left;
            self.frame = (!ends).then_some((header, done + count as u64));
            if let Some(event) = self.take_payload(header, done, piece, ends)? {
                return Ok(Some(event));
            }
            if !ends {
                return Ok(None);
            }
        }
    }

    fn take_header(&mut self, input: &mut &[u8]) -> Result<Option<Header>, Violation> {
        let before = usize::from(self.have);
        let count = input.len().min(MAX_HEADER - before);
        self.beginning[before..before + count].copy_from_slice(&input[..count]);
        let Some((header, size)) = frame::parse(&self.beginning[..before + count])? else {
            self.have = u8::try_from(before + count).expect("a header has 14 bytes at most");
            *input = &input[count..];
            return Ok(None);
        };
        self.have = 0;
        *input = &input[size - before..];
        self.judge(&header)?;
        Ok(Some(header))
    }

    /// Whether the frame may stand behind those before it.
    fn judge(&mut self, header: &Header) -> Result<(), Violation> {
        match (header.opcode, &self.message) {
            (Opcode::Close | Opcode::Ping | Opcode::Pong, _) => return Ok(()),
            (Opcode::Continuation, None) => return Err(Violation::protocol("continuation of nothing")),
            (Opcode::Text | Opcode::Binary, Some(_)) => {
                return Err(Violation::protocol("message within a message"));
            }
            _ => {}
        }
        let before = self.message.as_ref().map_or(0, |message| message.bytes.len());
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        if length > self.max_frame || length > self.max_message - before {
            return Err(Violation::too_long());
        }
        if header.opcode != Opcode::Continuation {
            self.message = Some(Partial {
                bytes: Vec::new(),
                text: header.opcode == Opcode::Text,
                valid: 0,
            });
        }
        Ok(())
    }

    fn take_payload(
        &mut self,
        header: Header,
        done: u64,
        piece: &[u8],
        ends: bool,
    ) -> Result<Option<Event>, Violation> {
        if header.opcode.is_control() {
            append(&mut self.control, piece, &header, done);
            if !ends {
                return Ok(None);
            }
            let payload = std::mem::take(&mut self.control);
            return match header.opcode {
                Opcode::Ping => Ok(Some(Event::Ping(payload))),
                Opcode::Pong => Ok(Some(Event::Nothing)),
                _ => close(&payload).map(|close| Some(Event::Close(close))),
            };
        }
        let message = self.message.as_mut().expect("a frame of data was given its message");
        append(&mut message.bytes, piece, &header, done);
        if !(ends && header.last) {
            message.check()?;
            return Ok((header.length == 0).then_some(Event::Nothing));
        }
        let message = self.message.take().expect("it is there");
        message.end().map(|message| Some(Event::Message(message)))
    }
}

impl Partial {
    /// Whether what has come may still become a text.
    fn check(&mut self) -> Result<(), Violation> {
        if !self.text {
            return Ok(());
        }
        match std::str::from_utf8(&self.bytes[self.valid..]) {
            Ok(text) => self.valid += text.len(),
            Err(error) if error.error_len().is_none() => self.valid += error.valid_up_to(),
            Err(_) => return Err(Violation::not_utf8()),
        }
        Ok(())
    }

    fn end(self) -> Result<Message, Violation> {
        if !self.text {
            return Ok(Message::Binary(self.bytes.into()));
        }
        let text = String::from_utf8(self.bytes).map_err(|_| Violation::not_utf8())?;
        Ok(Message::Text(text))
    }
}

fn append(to: &mut Vec<u8>, piece: &[u8], header: &Header, done: u64) {
    let from = to.len();
    to.extend_from_slice(piece);
    frame::unmask(&mut to[from..], header.mask, done);
}

/// What a close frame says (RFC 6455 5.5.1).
fn close(payload: &[u8]) -> Result<Close, Violation> {
    let Some((code, reason)) = payload.split_first_chunk::<2>() else {
        return Ok(Close {
            code: None,
            reason: "".into(),
        });
    };
    let code =
        CloseCode::new(u16::from_be_bytes(*code)).ok_or(Violation::protocol("close code that is none for the wire"))?;
    let reason = std::str::from_utf8(reason).map_err(|_| Violation::not_utf8())?;
    Ok(Close {
        code: Some(code),
        reason: reason.into(),
    })
}
