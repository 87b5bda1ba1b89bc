//! Frames on the wire (RFC 6455 5.2): the verdict on the header of a client's, and how ours are written.
//!
//! The layout of a header is tungstenite's. What is judged here beside it is what a server must refuse, as soon as it can be known:
//! before the rest of the header, and long before the payload. See `inbound` for payloads and messages.

use std::io::Cursor;

use bytes::{BufMut, BytesMut};
use tungstenite::protocol::frame::FrameHeader;
use tungstenite::protocol::frame::coding::{Control, Data, OpCode};

use crate::CloseCode;

/// The most a header takes: two bytes, a length of eight, a mask of four.
pub(crate) const MAX_HEADER: usize = 14;
/// The most a control frame carries (RFC 6455 5.5).
pub(crate) const MAX_CONTROL: usize = 125;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
    pub(crate) fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }

    fn of(code: OpCode) -> Option<Self> {
        match code {
            OpCode::Data(Data::Continue) => Some(Self::Continuation),
            OpCode::Data(Data::Text) => Some(Self::Text),
            OpCode::Data(Data::Binary) => Some(Self::Binary),
            OpCode::Control(Control::Close) => Some(Self::Close),
            OpCode::Control(Control::Ping) => Some(Self::Ping),
            OpCode::Control(Control::Pong) => Some(Self::Pong),
            OpCode::Data(Data::Reserved(_)) | OpCode::Control(Control::Reserved(_)) => None,
        }
    }

    fn code(self) -> OpCode {
        match self {
            Self::Continuation => OpCode::Data(Data::Continue),
            Self::Text => OpCode::Data(Data::Text),
            Self::Binary => OpCode::Data(Data::Binary),
            Self::Close => OpCode::Control(Control::Close),
            Self::Ping => OpCode::Control(Control::Ping),
            Self::Pong => OpCode::Control(Control::Pong),
        }
    }
}

/// What a client did wrong: the code that its connection is closed with, and a few words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) code: CloseCode,
    pub(crate) what: &'static str,
}

impl Violation {
    pub(crate) fn protocol(what: &'static str) -> Self {
        Self {
            code: CloseCode::PROTOCOL,
            what,
        }
    }

    pub(crate) fn not_utf8() -> Self {
        Self {
            code: CloseCode::INVALID,
            what: "text that is not UTF-8",
        }
    }

    pub(crate) fn too_long() -> Self {
        Self {
            code: CloseCode::TOO_BIG,
            what: "message too long",
        }
    }
}

/// The header of a client's frame that may stand where it stands alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) opcode: Opcode,
    pub(crate) last: bool,
    pub(crate) mask: [u8; 4],
    pub(crate) length: u64,
}

/// Reads a header, and how many bytes it took. `None`: the bytes are its beginning, and nothing is wrong with them yet.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<(Header, usize)>, Violation> {
    if bytes.len() < 2 {
        return Ok(None);
    }
    // The first two bytes say all but length and mask: with zeros behind them they are judged before the rest has come.
    let mut padded = [0; MAX_HEADER];
    let have = bytes.len().min(MAX_HEADER);
    padded[..have].copy_from_slice(&bytes[..have]);
    let mut cursor = Cursor::new(&padded[..]);
    let (header, length) = FrameHeader::parse(&mut cursor)
        .ok()
        .flatten()
        .ok_or(Violation::protocol("reserved opcode"))?;
    let size = usize::try_from(cursor.position()).expect("a header has 14 bytes at most");

    let opcode = Opcode::of(header.opcode).ok_or(Violation::protocol("reserved opcode"))?;
    if header.rsv1 || header.rsv2 || header.rsv3 {
        return Err(Violation::protocol("reserved bits"));
    }
    let Some(mask) = header.mask else {
        return Err(Violation::protocol("frame without mask"));
    };
    if opcode.is_control() && !header.is_final {
        return Err(Violation::protocol("control frame in fragments"));
    }
    if opcode.is_control() && size > header.len(0) {
        return Err(Violation::protocol("control frame too long"));
    }
    if have < size {
        return Ok(None);
    }
    if size != header.len(length) {
        return Err(Violation::protocol("length not in its shortest form"));
    }
    if length > i64::MAX as u64 {
        return Err(Violation::protocol("length above 63 bits"));
    }
    if opcode == Opcode::Close && length == 1 {
        return Err(Violation::protocol("close frame of one byte"));
    }
    let header = Header {
        opcode,
        last: header.is_final,
        mask,
        length,
    };
    Ok(Some((header, size)))
}

/// Takes the mask off a piece of a payload that begins `at` bytes into it.
pub(crate) fn unmask(bytes: &mut [u8], mut mask: [u8; 4], at: u64) {
    mask.rotate_left((at % 4) as usize);
    let [a, b, c, d] = mask;
    let wide = u128::from_ne_bytes([a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d]);
    let (chunks, rest) = bytes.as_chunks_mut::<16>();
    for chunk in chunks {
        *chunk = (u128::from_ne_bytes(*chunk) ^ wide).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(mask.iter().cycle()) {
        *byte ^= mask;
    }
}

/// Appends a whole frame of ours: final, without a mask.
pub(crate) fn write(opcode: Opcode, payload: &[u8], out: &mut BytesMut) {
    let header = FrameHeader {
        opcode: opcode.code(),
        ..FrameHeader::default()
    };
    let length = payload.len() as u64;
    out.reserve(header.len(length) + payload.len());
    header
        .format(length, &mut out.writer())
        .expect("memory takes all that is written");
    out.extend_from_slice(payload);
}

/// Appends a close frame. The reason is cut to what fits, between two characters.
pub(crate) fn write_close(close: Option<(CloseCode, &str)>, out: &mut BytesMut) {
    let mut payload = Vec::new();
    if let Some((code, reason)) = close {
        payload.extend_from_slice(&code.as_u16().to_be_bytes());
        let fits = reason.floor_char_boundary(MAX_CONTROL - 2);
        payload.extend_from_slice(&reason.as_bytes()[..fits]);
    }
    write(Opcode::Close, &payload, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_goes_on_where_the_last_piece_ended() {
        let mask = [0x37, 0xfa, 0x21, 0x3d];
        let plain: Vec<u8> = (0..100).collect();
        let masked: Vec<u8> = plain.iter().zip(mask.iter().cycle()).map(|(a, b)| a ^ b).collect();
        for cut in 0..=plain.len() {
            let mut pieces = masked.clone();
            let (left, right) = pieces.split_at_mut(cut);
            unmask(left, mask, 0);
            unmask(right, mask, cut as u64);
            assert_eq!(pieces, plain, "cut at {cut}");
        }
    }

    #[test]
    fn two_bytes_are_enough_for_most_verdicts() {
        for (bytes, what) in [
            ([0x81, 0x05], "frame without mask"),
            ([0xc1, 0x85], "reserved bits"),
            ([0xa1, 0xff], "reserved bits"),
            ([0x83, 0x80], "reserved opcode"),
            ([0x8f, 0xfe], "reserved opcode"),
            ([0x09, 0x81], "control frame in fragments"),
            ([0x89, 0xfe], "control frame too long"),
            ([0x88, 0xff], "control frame too long"),
        ] {
            assert_eq!(parse(&bytes).unwrap_err().what, what, "{bytes:x?}");
        }
        assert!(parse(&[0x81]).expect("it may go on well").is_none());
        assert!(parse(&[0x81, 0xfe]).expect("it may go on well").is_none());
    }

    #[test]
    fn a_reason_is_cut_between_characters() {
        let mut out = BytesMut::new();
        write_close(Some((CloseCode::NORMAL, &"é".repeat(100))), &mut out);
        assert_eq!(out.len(), 2 + 2 + 122);
        assert!(std::str::from_utf8(&out[4..]).is_ok());
    }
}
