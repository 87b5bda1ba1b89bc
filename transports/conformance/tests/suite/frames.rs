//! An HTTP/2 client that writes any frame it is told, right or wrong, and reads just enough: statuses, bodies and the frames that
//! end things. Header blocks are written as plain literals, and read as far as the status, which stands first.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::client::{is_later, is_reset};
use crate::transport::{PATIENCE, Server};

/// What a client sends first (RFC 9113 3.4).
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames.
pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;

/// Flags of frames.
pub const END_STREAM: u8 = 1;
pub const ACK: u8 = 1;
pub const END_HEADERS: u8 = 4;

/// Settings a client sends.
pub const HEADER_TABLE_SIZE: u16 = 1;
pub const MAX_CONCURRENT_STREAMS: u16 = 3;
pub const INITIAL_WINDOW_SIZE: u16 = 4;
pub const MAX_HEADER_LIST_SIZE: u16 = 6;

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

/// What became of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A whole answer: its status and body.
    Whole(u16, Vec<u8>),
    /// The server reset the stream, with this code.
    Reset(u32),
    /// The connection ended.
    Gone,
}

impl Answer {
    /// The status, or nothing.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Whole(status, _) => Some(*status),
            _ => None,
        }
    }
}

/// One connection.
pub struct Frames {
    stream: TcpStream,
    came: Vec<u8>,
    /// Frames of other streams than the one that was asked for.
    kept: VecDeque<Frame>,
}

impl Frames {
    /// Connects and sends nothing.
    pub fn silent(server: &Server) -> Self {
        let stream = TcpStream::connect_timeout(&server.address(), PATIENCE).expect("the server can be connected to");
        stream.set_nodelay(true).expect("a connected socket takes options");
        stream.set_read_timeout(Some(PATIENCE)).expect("as above");
        stream.set_write_timeout(Some(PATIENCE)).expect("as above");
        Self {
            stream,
            came: Vec::new(),
            kept: VecDeque::new(),
        }
    }

    /// Connects, with the preface and settings that let a server send as it likes.
    pub fn to(server: &Server) -> Self {
        Self::with_settings(server, &[(HEADER_TABLE_SIZE, 0), (INITIAL_WINDOW_SIZE, (1 << 31) - 1)])
    }

    /// Connects, with the preface and these settings.
    pub fn with_settings(server: &Server, settings: &[(u16, u32)]) -> Self {
        let mut this = Self::silent(server);
        let mut payload = Vec::new();
        for (id, value) in settings {
            payload.extend_from_slice(&id.to_be_bytes());
            payload.extend_from_slice(&value.to_be_bytes());
        }
        let window = frame(WINDOW_UPDATE, 0, 0, &((1_u32 << 31) - 1 - 65535).to_be_bytes());
        this.send([PREFACE, &frame(SETTINGS, 0, 0, &payload), &window].concat());
        this
    }

    /// Sends all of it.
    ///
    /// # Panics
    /// The server takes no more.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream
            .write_all(bytes.as_ref())
            .expect("the server takes what is sent");
    }

    /// Sends what a server may have ended the connection before; whether it took all.
    pub fn send_late(&mut self, bytes: &[u8]) -> bool {
        match self.stream.write_all(bytes) {
            Ok(()) => true,
            Err(why) => {
                assert!(is_reset(why.kind()), "{why}");
                false
            }
        }
    }

    /// Sends as much as the server takes, from another thread; what becomes of it is no matter.
    pub fn send_meanwhile(&self, bytes: Vec<u8>) {
        let mut stream = self.stream.try_clone().expect("a socket can be shared");
        std::thread::spawn(move || stream.write_all(&bytes));
    }

    /// Sends a GET.
    pub fn get(&mut self, stream: u32, path: &str) {
        self.send(request(stream, END_STREAM, &pseudo("GET", path, "localhost")));
    }

    /// Sends a POST with its body.
    pub fn post(&mut self, stream: u32, path: &str, body: &[u8]) {
        let mut bytes = request(stream, 0, &pseudo("POST", path, "localhost"));
        bytes.extend(frame(DATA, END_STREAM, stream, body));
        self.send(bytes);
    }

    /// Sends a request that may be wrong, and says what became of it.
    pub fn ask(&mut self, stream: u32, fields: &[(&str, &str)]) -> Answer {
        self.send(request(stream, END_STREAM, fields));
        self.answer(stream)
    }

    /// Sends a good request and expects its answer, to show that the connection lives.
    pub fn expect_alive(&mut self, stream: u32) {
        self.get(stream, "/ping");
        assert_eq!(self.answer(stream), Answer::Whole(200, b"{\"ok\":true}".to_vec()));
    }

    /// What becomes of a stream.
    ///
    /// # Panics
    /// Nothing does.
    pub fn answer(&mut self, stream: u32) -> Answer {
        self.answer_behind(stream, None)
    }

    /// As [`Self::answer`], of a stream whose head, of status 200, has been passed over by [`Self::data`].
    pub fn rest(&mut self, stream: u32) -> Answer {
        self.answer_behind(stream, Some(200))
    }

    /// The content of the next DATA frame of a stream that goes on; the head before it is passed over.
    ///
    /// # Panics
    /// The stream ends.
    pub fn data(&mut self, stream: u32) -> Vec<u8> {
        loop {
            let frame = self.frame_of(stream).expect("the connection goes on");
            let ends =
                frame.kind == RST_STREAM || matches!(frame.kind, HEADERS | DATA) && frame.flags & END_STREAM != 0;
            assert!(!ends, "the stream ends: {frame:?}");
            if frame.kind == DATA && !frame.payload.is_empty() {
                return frame.payload;
            }
        }
    }

    fn answer_behind(&mut self, stream: u32, mut status: Option<u16>) -> Answer {
        let mut body = Vec::new();
        loop {
            let Some(frame) = self.frame_of(stream) else {
                return Answer::Gone;
            };
            match frame.kind {
                HEADERS if status.is_none() => status = Some(status_of(&frame.payload)),
                DATA => body.extend_from_slice(&frame.payload),
                RST_STREAM => {
                    // After a whole answer it says only that the rest of the request is not wanted.
                    return Answer::Reset(u32::from_be_bytes(frame.payload[..4].try_into().expect("4 bytes")));
                }
                _ => {}
            }
            if matches!(frame.kind, HEADERS | DATA) && frame.flags & END_STREAM != 0 {
                return Answer::Whole(status.expect("a status comes before the end"), body);
            }
        }
    }

    /// The next GOAWAY's last stream and code; what else comes is kept. `None`: the connection ended without.
    pub fn goaway(&mut self) -> Option<(u32, u32)> {
        loop {
            let frame = self.read_frame()?;
            if frame.kind == GOAWAY {
                let number = |at: usize| u32::from_be_bytes(frame.payload[at..at + 4].try_into().expect("4 bytes"));
                return Some((number(0), number(4)));
            }
            self.kept.push_back(frame);
        }
    }

    /// The settings the server sends first.
    pub fn settings(&mut self) -> Vec<(u16, u32)> {
        let frame = self.read_frame().expect("a server begins with SETTINGS");
        assert_eq!((frame.kind, frame.flags), (SETTINGS, 0));
        frame
            .payload
            .chunks_exact(6)
            .map(|pair| {
                let value = pair[2..].try_into().expect("4 bytes");
                (u16::from_be_bytes([pair[0], pair[1]]), u32::from_be_bytes(value))
            })
            .collect()
    }

    /// Waits for the answer to a PING, which comes behind what the server made of all before it.
    pub fn expect_pong(&mut self) {
        self.send(frame(PING, 0, 0, b"pingpong"));
        loop {
            let frame = self.read_frame().expect("the connection lives");
            if frame.kind == PING && frame.flags & ACK != 0 {
                return;
            }
            self.kept.push_back(frame);
        }
    }

    /// Reads to the end of the connection, whatever comes.
    ///
    /// # Panics
    /// There is no end.
    pub fn expect_end(&mut self) {
        while self.read_frame().is_some() {}
    }

    /// Reads to the end of a connection that may not be HTTP/2.
    ///
    /// # Panics
    /// There is no end.
    pub fn expect_bytes_end(&mut self) {
        loop {
            match self.fill() {
                Ok(0) => return,
                Ok(_) => {}
                Err(why) if is_reset(why) => return,
                Err(why) => panic!("{why} instead of an end"),
            }
        }
    }

    /// Whether bytes or the end come within this time.
    pub fn hears_within(&mut self, time: Duration) -> bool {
        self.stream
            .set_read_timeout(Some(time))
            .expect("a connected socket takes options");
        let heard = self.fill();
        self.stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a connected socket takes options");
        !matches!(heard, Err(why) if is_later(why))
    }

    /// Waits until the server takes nothing more, without reading what it sent.
    pub fn expect_no_more_taken(&mut self) {
        let begun = std::time::Instant::now();
        let ping = frame(PING, ACK, 0, &[0; 8]);
        while self.send_late(&ping) {
            assert!(begun.elapsed() < PATIENCE, "the server still takes what is sent");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }

    fn frame_of(&mut self, stream: u32) -> Option<Frame> {
        if let Some(at) = self.kept.iter().position(|frame| frame.stream == stream) {
            return self.kept.remove(at);
        }
        loop {
            let frame = self.read_frame()?;
            if frame.stream == stream {
                return Some(frame);
            }
            self.kept.push_back(frame);
        }
    }

    /// The next frame, or `None` at the end of the connection.
    fn read_frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(head) = self.came.first_chunk::<9>().copied() {
                let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
                if self.came.len() >= 9 + length {
                    let payload = self.came[9..9 + length].to_vec();
                    self.came.drain(..9 + length);
                    let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]) & (u32::MAX >> 1);
                    if head[3] == PING && head[4] & ACK == 0 {
                        // A server waits for it before it says which streams it will still answer.
                        let _ = self.send_late(&frame(PING, ACK, 0, &payload));
                    }
                    return Some(Frame {
                        kind: head[3],
                        flags: head[4],
                        stream,
                        payload,
                    });
                }
            }
            match self.fill() {
                Ok(0) => return None,
                Ok(_) => {}
                Err(why) if is_reset(why) => return None,
                Err(why) => panic!("{why} while waiting for a frame"),
            }
        }
    }

    fn fill(&mut self) -> Result<usize, ErrorKind> {
        let mut chunk = [0; 64 << 10];
        let n = self.stream.read(&mut chunk).map_err(|why| why.kind())?;
        self.came.extend_from_slice(&chunk[..n]);
        Ok(n)
    }
}

/// A frame's bytes.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a frame is short").to_be_bytes();
    let mut out = vec![length[1], length[2], length[3], kind, flags];
    out.extend_from_slice(&stream.to_be_bytes());
    out.extend_from_slice(payload);
    out
}

/// A request's head, in as many frames as it takes.
pub fn request(stream: u32, flags: u8, fields: &[(&str, &str)]) -> Vec<u8> {
    let block = block(fields);
    let mut pieces = block.chunks(16 << 10).peekable();
    let (mut kind, mut flags, mut out) = (HEADERS, flags, Vec::new());
    while let Some(piece) = pieces.next() {
        let end = if pieces.peek().is_none() { END_HEADERS } else { 0 };
        out.extend(frame(kind, flags | end, stream, piece));
        (kind, flags) = (CONTINUATION, 0);
    }
    out
}

/// The pseudo-fields of a request.
pub fn pseudo<'a>(method: &'a str, path: &'a str, authority: &'a str) -> [(&'a str, &'a str); 4] {
    [
        (":method", method),
        (":scheme", "http"),
        (":path", path),
        (":authority", authority),
    ]
}

/// A header block of literals that are not indexed (RFC 7541 6.2.2).
pub fn block(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in fields {
        out.push(0);
        for text in [name, value] {
            put_length(&mut out, text.len());
            out.extend_from_slice(text.as_bytes());
        }
    }
    out
}

/// A length with a 7-bit prefix (RFC 7541 5.1).
fn put_length(out: &mut Vec<u8>, length: usize) {
    if length < 127 {
        out.push(length as u8);
        return;
    }
    out.push(127);
    let mut rest = length - 127;
    while rest >= 128 {
        out.push((rest % 128) as u8 | 128);
        rest /= 128;
    }
    out.push(rest as u8);
}

/// The status at the start of a header block.
fn status_of(block: &[u8]) -> u16 {
    const INDEXED: [u16; 7] = [200, 204, 206, 304, 400, 404, 500];
    // Changes of the table's size may come first.
    let start = block
        .iter()
        .position(|b| b & 0xe0 != 0x20)
        .expect("a block has a field");
    match block[start..] {
        [first @ 0x88..=0x8e, ..] => INDEXED[usize::from(first - 0x88)],
        [0x48 | 0x08 | 0x18, length, ref rest @ ..] => {
            let value = &rest[..usize::from(length & 127)];
            let digits = if length & 128 == 0 {
                value.to_vec()
            } else {
                huffman_digits(value)
            };
            let text = std::str::from_utf8(&digits).expect("digits are ASCII");
            text.parse().expect("a status is a number")
        }
        ref other => panic!(
            "a block does not begin with a status: {:x?}",
            &other[..other.len().min(8)]
        ),
    }
}

/// Three digits in Huffman's code: `0` to `2` have five bits, the others six (RFC 7541 appendix B).
fn huffman_digits(bytes: &[u8]) -> Vec<u8> {
    let bits: Vec<u8> = bytes
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1))
        .collect();
    let number = |bits: &[u8]| bits.iter().fold(0_u8, |number, bit| number << 1 | bit);
    let (mut at, mut out) = (0, Vec::new());
    while out.len() < 3 {
        match number(&bits[at..at + 5]) {
            digit @ 0..=2 => {
                out.push(b'0' + digit);
                at += 5;
            }
            _ => {
                out.push(b'3' + number(&bits[at..at + 6]) - 0b01_1001);
                at += 6;
            }
        }
    }
    out
}

#[test]
fn statuses_are_read_in_every_form() {
    assert_eq!(status_of(&[0x20, 0x88]), 200);
    assert_eq!(status_of(&[0x8d]), 404);
    assert_eq!(status_of(&[0x08, 3, b'4', b'1', b'3']), 413);
    // `302` of RFC 7541 C.6.1.
    assert_eq!(status_of(&[0x48, 0x82, 0x64, 0x02]), 302);
}
