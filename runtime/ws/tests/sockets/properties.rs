//! Any bytes, in any pieces: never a panic, always an end with a code that may be on the wire; and what is a message for tungstenite is
//! the same message here.

use std::io::{Cursor, Read, Write};

use crate::support::{echo, frame, open_with};
use proptest::collection::vec;
use proptest::prelude::*;
use pw_ws::WebSocket;
use tokio::io::AsyncWriteExt;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message};

const LIMIT: usize = 300;

/// What an echo answers to these bytes, written in pieces of these sizes: the frames before its close frame, and that one's code. The
/// client then ends its direction.
fn answers(bytes: &[u8], pieces: &[usize]) -> (Vec<(u8, Vec<u8>)>, Option<u16>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime can be built");
    runtime.block_on(async {
        let mut client = open_with(WebSocket::options().max_message(LIMIT), 1 << 20, b"", echo);
        let mut rest = bytes;
        let mut sizes = pieces.iter().cycle();
        while !rest.is_empty() {
            let size = sizes.next().map_or(rest.len(), |size| (*size).min(rest.len()));
            client.write(&rest[..size]).await;
            rest = &rest[size..];
            tokio::task::yield_now().await;
        }
        client.stream.shutdown().await.expect("a pipe can be shut");
        let mut frames = Vec::new();
        let mut code = None;
        while let Some((opcode, payload)) = client.next().await {
            assert_eq!(code, None, "a close frame is the last");
            match opcode {
                8 => code = Some(crate::support::code_of(&payload)),
                _ => frames.push((opcode, payload)),
            }
        }
        drop(client.stream);
        client.task.await.expect("it does not panic");
        (frames, code)
    })
}

fn may_be_on_the_wire(code: u16) -> bool {
    matches!(code, 1000..=1003 | 1005 | 1007..=1014 | 3000..=4999)
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

/// What tungstenite takes from these bytes, as an echo's answers, and whether it ended with a fault of the client's.
fn oracle(bytes: &[u8]) -> (Vec<(u8, Vec<u8>)>, bool) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LIMIT))
        .max_frame_size(Some(LIMIT));
    let script = Script(Cursor::new(bytes.to_vec()));
    let mut socket = tungstenite::WebSocket::from_raw_socket(script, Role::Server, Some(config));
    let mut frames = Vec::new();
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => frames.push((1, text.as_bytes().to_vec())),
            Ok(Message::Binary(bytes)) => frames.push((2, bytes.to_vec())),
            Ok(Message::Ping(bytes)) => frames.push((10, bytes.to_vec())),
            Ok(Message::Pong(_) | Message::Frame(_)) => {}
            Ok(Message::Close(_)) => return (frames, false),
            Err(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => {
                return (frames, false);
            }
            Err(Error::Protocol(_) | Error::Utf8(_) | Error::Capacity(_)) => return (frames, true),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Frames of which most may stand behind each other.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop_oneof![
        4 => "[a-zα-ω🙂]{0,20}".prop_map(String::into_bytes),
        1 => vec(any::<u8>(), 0..20),
        1 => (100..200_usize).prop_map(|length| vec![b'x'; length]),
    ];
    let first = prop_oneof![
        4 => Just(0x81_u8),
        2 => Just(0x82),
        4 => Just(0x01),
        2 => Just(0x02),
        6 => Just(0x00),
        6 => Just(0x80),
        3 => Just(0x89),
        2 => Just(0x8a),
        1 => any::<u8>(),
    ];
    vec(
        (first, payload).prop_map(|(first, payload)| frame(first, &payload)),
        0..12,
    )
    .prop_map(|all| all.concat())
}

/// One message in pieces, with control frames between them; and the message.
fn fragments() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    ("[a-zα-ω🙂]{0,60}", vec(0..200_usize, 0..6), any::<bool>()).prop_map(|(text, mut cuts, pings)| {
        let text = text.into_bytes();
        cuts.iter_mut().for_each(|cut| *cut %= text.len() + 1);
        cuts.sort_unstable();
        cuts.insert(0, 0);
        cuts.push(text.len());
        let last = cuts.len() - 2;
        let mut bytes = Vec::new();
        for (at, cut) in cuts.windows(2).enumerate() {
            let first = u8::from(at == 0) | if at == last { 0x80 } else { 0 };
            bytes.extend(frame(first, &text[cut[0]..cut[1]]));
            if pings && at != last {
                bytes.extend(frame(0x89, &[at as u8]));
            }
        }
        (bytes, text)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_come_to_an_end(bytes in vec(any::<u8>(), 0..200), pieces in vec(1..50_usize, 0..4)) {
        let (_, code) = answers(&bytes, &pieces);
        prop_assert!(code.is_none_or(may_be_on_the_wire), "{code:?}");
    }

    #[test]
    fn any_frames_are_what_they_are_for_tungstenite(bytes in frames(), pieces in vec(1..50_usize, 0..4)) {
        let (found, code) = answers(&bytes, &pieces);
        let (expected, fault) = oracle(&bytes);
        prop_assert!(code.is_none_or(may_be_on_the_wire), "{code:?}");
        if fault {
            prop_assert!(code.is_some_and(|code| [1002, 1007, 1009].contains(&code)), "{code:?}");
        }
        // Here a frame may be refused before all of it has come, so before the end of the bytes.
        prop_assert!(fault || code != Some(1002) || expected.len() == found.len());
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn fragments_are_one_message(fragments in fragments(), pieces in vec(1..20_usize, 0..4)) {
        let (bytes, text) = fragments;
        let (found, code) = answers(&bytes, &pieces);
        prop_assert_eq!(code, None);
        let texts: Vec<_> = found.into_iter().filter(|(opcode, _)| *opcode == 1).collect();
        prop_assert_eq!(texts, [(1, text)]);
    }
}
