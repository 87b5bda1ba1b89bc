//! WebSockets: a client's frames, good and spoilt, in any pieces over a pipe of any size, to an echo.
//!
//! Messages and pongs come back as tungstenite reads them from the same bytes, and the close frame has the code of its verdict; every
//! frame is well-formed and nothing follows a close frame. What is held grows with what has come, never with what is announced.
//!
//! Where the two differ, and are meant to:
//!
//! * A fault is found at the byte that makes it one, there at the end of its frame: where the bytes end before, the verdict is
//!   a fault here and none there.
//! * A length that is not in its shortest form is a fault here, and so is one above 63 bits.
//! * Of two faults in one frame the one that comes first counts here: a control frame above 125 bytes before the limit, a code that may
//!   not be on the wire before a reason that is not UTF-8.
//! * 1014 may be on the wire here.

use std::io::{Cursor, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use bytes::Bytes;
use pw_conformance::draw::Draw;
use pw_core::{
    Body, Exchange, HeadBuffer, Problem, Reply, Span, Stopping, Upgradable, Upgrade, UpgradeTask, Upgraded, Version,
};
use pw_ws::WebSocket;
use tokio::io::duplex;
use tokio::task::LocalSet;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message};

use crate::connection::talk;

/// What a socket may take: nobody waits for anything.
const PATIENCE: Duration = Duration::from_secs(20);

/// What one holds beside what came: its task, a read, what its client keeps.
const BESIDE: u64 = 64 << 10;

const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// What comes of a client's bytes.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    /// The frames of an echo, but for its close frame.
    frames: Vec<(u8, Vec<u8>)>,
    /// The code of that, and 1005 without one. `None`: there was none.
    code: Option<u16>,
}

/// Checks the property of a client's bytes that are drawn.
///
/// # Panics
/// It does not hold.
pub fn check(draw: &mut Draw<'_>) {
    // Limits that are met, and one that never is, where length alone must not cost.
    let limit = *draw.pick(&[12, 300, 1 << 20]);
    let input = input(draw);
    let cuts = draw.cuts(input.len(), 6);
    let room = *draw.pick(&[64 << 10, 300, 20]);
    let ahead = if draw.once_in(3) {
        draw.below(input.len() + 1)
    } else {
        0
    };
    let context = || format!("limit {limit}, cut at {cuts:?}, a pipe of {room}, {ahead} ahead: {input:02x?}");

    let mut came = Vec::new();
    let held = allocation_counter::measure(|| came = exchange(&input, &cuts, room, ahead, limit));
    let most = BESIDE + room as u64 + 8 * input.len() as u64;
    assert!(
        held.bytes_max <= most,
        "{} bytes were held, {}",
        held.bytes_max,
        context()
    );

    let found = read(&came).unwrap_or_else(|why| panic!("{why} in {came:02x?}, {}", context()));
    let expected = oracle(&input, limit);
    if found == expected {
        return;
    }
    let shown = || format!("{found:?} is not {expected:?}, {}", context());
    assert!(differs(&input, &found, &expected), "{}", shown());
}

/// Whether that is one of the differences that are meant.
fn differs(input: &[u8], found: &Outcome, expected: &Outcome) -> bool {
    let frames = Headers { rest: input };
    let has_close = frames.clone().any(|header| header.first & 0x0f == 8);
    let is_cut = frames.clone().last().is_none_or(|header| !header.whole);
    match (found.code, expected.code) {
        (Some(1002), _) if frames.clone().any(|header| !header.shortest) => expected.frames.starts_with(&found.frames),
        _ if found.frames != expected.frames => false,
        (Some(1002 | 1007 | 1009), None) => is_cut,
        // A control frame that is too long, for the limit, too.
        (Some(1002), Some(1009)) => true,
        // A code that may not be there, and a reason that is not UTF-8.
        (Some(1002), Some(1007)) | (Some(1014), Some(1002)) => has_close,
        _ => false,
    }
}

/// The headers of frames as they follow each other, the last of them as far as it has come.
#[derive(Clone)]
struct Headers<'b> {
    rest: &'b [u8],
}

struct Header {
    first: u8,
    /// Whether its length has its shortest form, and no more than 63 bits.
    shortest: bool,
    /// Whether all of the frame is there.
    whole: bool,
}

impl Iterator for Headers<'_> {
    type Item = Header;

    fn next(&mut self) -> Option<Header> {
        let first = *self.rest.first()?;
        let Some((length, size)) = length(self.rest) else {
            self.rest = &[];
            return Some(Header {
                first,
                shortest: true,
                whole: false,
            });
        };
        let shortest = match size {
            2 => true,
            4 => length > 125,
            _ => length > u64::from(u16::MAX) && length <= i64::MAX as u64,
        };
        let mask = if self.rest[1] & 0x80 == 0 { 0 } else { 4 };
        let end = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .saturating_add(size + mask);
        let after = self.rest.get(end..);
        self.rest = after.unwrap_or_default();
        Some(Header {
            first,
            shortest,
            whole: after.is_some(),
        })
    }
}

/// What the header at the front says of the payload's length, and how many bytes it takes to say it, without a mask.
fn length(frame: &[u8]) -> Option<(u64, usize)> {
    let [_, second, rest @ ..] = frame else {
        return None;
    };
    match second & 0x7f {
        126 => Some((u16::from_be_bytes(*rest.first_chunk()?).into(), 4)),
        127 => Some((u64::from_be_bytes(*rest.first_chunk()?), 10)),
        length => Some((length.into(), 2)),
    }
}

/// Frames of which most may stand behind each other, or any bytes.
fn input(draw: &mut Draw<'_>) -> Vec<u8> {
    if draw.once_in(8) {
        return draw.rest(2000);
    }
    let mut input = Vec::new();
    for _ in 0..draw.below(12) {
        input.extend(frame(draw));
    }
    for _ in 0..draw.below(3) {
        match draw.below(4) {
            0 if !input.is_empty() => {
                let at = draw.below(input.len());
                input[at] = draw.byte();
            }
            1 => input.truncate(draw.below(input.len() + 1)),
            _ => {}
        }
    }
    input
}

fn frame(draw: &mut Draw<'_>) -> Vec<u8> {
    const FIRST: [u8; 20] = [
        0x81, 0x81, 0x81, 0x82, 0x82, 0x01, 0x01, 0x01, 0x02, 0x00, 0x00, 0x00, 0x80, 0x80, 0x80, 0x89, 0x89, 0x8a,
        0x88, 0xff,
    ];
    const TEXTS: [&[u8]; 8] = [
        b"",
        b"hello",
        "\u{3ba}\u{1f642}".as_bytes(),
        &[0xce],
        &[0xba, b'x'],
        &[0xf0, 0x9f],
        &[0x99, 0x82],
        &[0xff],
    ];
    let first = match *draw.pick(&FIRST) {
        0xff => draw.byte(),
        first => first,
    };
    let payload = match draw.below(8) {
        0 => vec![b'x'; *draw.pick(&[100, 125, 126, 127, 200, 301])],
        1 => draw.bytes(9),
        2 => [&draw.between(990, 1020).to_be_bytes()[6..], *draw.pick(&TEXTS)].concat(),
        _ => draw.pick(&TEXTS).to_vec(),
    };
    let length = payload.len() as u64;
    let mut frame = vec![first];
    match draw.below(30) {
        // Longer than it needs to be, or announced and never there.
        29 => {
            frame.push(0xff);
            frame.extend((*draw.pick(&[length, 1 << 20, 1 << 30, u64::MAX])).to_be_bytes());
        }
        28 => frame.push(payload.len().min(125) as u8),
        _ if length < 126 => frame.push(0x80 | length as u8),
        _ => {
            frame.push(0x80 | 126);
            frame.extend((length as u16).to_be_bytes());
        }
    }
    frame.extend(MASK);
    frame.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

/// Everything that an echo sends for these bytes, the first of which came with the handshake.
fn exchange(input: &[u8], cuts: &[usize], room: usize, ahead: usize, limit: usize) -> Vec<u8> {
    thread_local! {
        static RUNTIME: tokio::runtime::Runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .expect("a runtime without sockets can be built");
    }
    let (client, server) = duplex(room);
    let (first, rest) = input.split_at(ahead);
    let cuts: Vec<usize> = cuts.iter().filter_map(|cut| cut.checked_sub(ahead)).collect();
    let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let stream = Upgraded::new(server, Bytes::copy_from_slice(first), peer, Stopping::default());
    let all = async {
        let serving = tokio::task::spawn_local(echo(limit).run(stream));
        let came = talk(client, rest, &cuts).await;
        serving.await.expect("a socket does not panic");
        came
    };
    RUNTIME.with(|runtime| {
        let local = LocalSet::new();
        let came = local.block_on(runtime, async { tokio::time::timeout(PATIENCE, all).await });
        came.unwrap_or_else(|_| panic!("it hangs, cut at {cuts:?}, a pipe of {room}: {input:02x?}"))
    })
}

/// What runs once the handshake of an echo is done.
fn echo(limit: usize) -> UpgradeTask {
    let mut head = HeadBuffer::default();
    head.clear();
    head.start(
        Version::Http11,
        "GET /ws",
        Span::new(0, 3),
        Span::new(4, 7),
        Span::new(7, 7),
    );
    for (name, value) in [
        ("upgrade", "websocket"),
        ("connection", "upgrade"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ] {
        head.push_field(name, value.as_bytes());
    }
    let mut cx = Cx::default();
    WebSocket::options()
        .max_message(limit)
        .accept(&head, &mut cx, async |mut socket: WebSocket| {
            while let Some(message) = socket.receive().await? {
                socket.send(&message).await?;
            }
            Ok(())
        })
        .expect("the handshake is as it should be");
    cx.reply.take_upgrade().expect("the handshake was accepted")
}

/// An exchange of no transport.
#[derive(Default)]
struct Cx {
    body: Empty,
    reply: Reply,
}

impl Exchange for Cx {
    type Head = HeadBuffer;
    type Body = Empty;

    fn split(&mut self) -> (&mut Empty, &mut Reply) {
        (&mut self.body, &mut self.reply)
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}

impl Upgrade for Cx {}

#[derive(Default)]
struct Empty;

impl Upgradable for Empty {}

impl Body for Empty {
    async fn read(&mut self, _: usize) -> Result<&[u8], Problem> {
        Ok(&[])
    }

    async fn chunk(&mut self) -> Result<Option<&[u8]>, Problem> {
        Ok(None)
    }
}

/// A server's frames, strictly.
fn read(bytes: &[u8]) -> Result<Outcome, &'static str> {
    let (mut frames, mut code, mut rest) = (Vec::new(), None, bytes);
    while !rest.is_empty() {
        if code.is_some() {
            return Err("something behind a close frame");
        }
        let header = Headers { rest }.next().ok_or("half a header")?;
        let (length, size) = length(rest).ok_or("half a header")?;
        let first = header.first;
        if first & 0xf0 != 0x80 || rest[1] & 0x80 != 0 || !header.shortest {
            return Err("a header that is none of a server's");
        }
        let end = size.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
        let (frame, after) = rest.split_at_checked(end).ok_or("half a frame")?;
        let payload = &frame[size..];
        rest = after;
        match first & 0x0f {
            8 => code = Some(code_of(payload)?),
            1 if std::str::from_utf8(payload).is_err() => return Err("text that is not UTF-8"),
            opcode @ (1 | 2 | 10) => frames.push((opcode, payload.to_vec())),
            _ => return Err("a frame that nobody asked for"),
        }
    }
    Ok(Outcome { frames, code })
}

fn code_of(payload: &[u8]) -> Result<u16, &'static str> {
    let Some((code, reason)) = payload.split_first_chunk() else {
        return if payload.is_empty() {
            Ok(1005)
        } else {
            Err("half a code")
        };
    };
    let code = u16::from_be_bytes(*code);
    let may_be_there = matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999);
    if !may_be_there || payload.len() > 125 || std::str::from_utf8(reason).is_err() {
        return Err("a close frame that may not be there");
    }
    Ok(code)
}

/// Bytes that were written already, and nowhere to write.
struct Script(Cursor<Vec<u8>>);

impl Read for Script {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(room)
    }
}

impl Write for Script {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What tungstenite makes of these bytes.
fn oracle(input: &[u8], limit: usize) -> Outcome {
    let config = WebSocketConfig::default()
        .max_message_size(Some(limit))
        // Here it does not hold for control frames.
        .max_frame_size(Some(limit.max(125)));
    let script = Script(Cursor::new(input.to_vec()));
    let mut socket = tungstenite::WebSocket::from_raw_socket(script, Role::Server, Some(config));
    let mut frames = Vec::new();
    let code = loop {
        match socket.read() {
            Ok(Message::Text(text)) => frames.push((1, text.as_bytes().to_vec())),
            Ok(Message::Binary(bytes)) => frames.push((2, bytes.to_vec())),
            Ok(Message::Ping(bytes)) => frames.push((10, bytes.to_vec())),
            Ok(Message::Pong(_) | Message::Frame(_)) => {}
            Ok(Message::Close(close)) => break Some(close.map_or(1005, |close| close.code.into())),
            Err(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => break None,
            Err(Error::Protocol(_)) => break Some(1002),
            Err(Error::Utf8(_)) => break Some(1007),
            Err(Error::Capacity(_)) => break Some(1009),
            Err(error) => panic!("{error}"),
        }
    };
    Outcome { frames, code }
}
