//! The frames of RFC 6455, as far as a client must read and write them to judge a server.

const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

/// What came over a WebSocket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// Whole messages in order, opcode first; a ping or pong is a message of its own.
    pub whole: Vec<(u8, Vec<u8>)>,
    /// Rules a server must keep and did not.
    pub faults: Vec<String>,
    /// The code of the Close frame; 1005 if it had none.
    pub close: Option<u16>,
}

/// Reads the whole frames at the start of `tail`.
pub fn messages(tail: &[u8]) -> Messages {
    let mut out = Messages::default();
    let mut partial: (u8, Vec<u8>) = (0, Vec::new());
    let mut rest = tail;
    while let Some((head, payload, after)) = frame(rest) {
        rest = after;
        let mut fault = |text: &str| out.faults.push(text.to_owned());
        if head[1] & 0x80 != 0 {
            fault("server sent a masked frame");
        }
        if head[0] & 0x70 != 0 {
            fault("server set a reserved bit");
        }
        if out.close.is_some() {
            fault("server sent a frame after its Close");
        }
        let opcode = head[0] & 15;
        match opcode {
            8 => out.close = Some(payload.first_chunk().map_or(1005, |code| u16::from_be_bytes(*code))),
            9 | 10 => out.whole.push((opcode, payload.to_vec())),
            0..=2 => {
                if opcode == 0 {
                    partial.1.extend_from_slice(payload);
                } else {
                    partial = (opcode, payload.to_vec());
                }
                if head[0] & 0x80 != 0 {
                    out.whole.push(std::mem::take(&mut partial));
                }
            }
            _ => out.faults.push(format!("server sent opcode {opcode}")),
        }
    }
    out
}

/// The first frame: its two leading bytes, its payload and what follows.
fn frame(bytes: &[u8]) -> Option<([u8; 2], &[u8], &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<2>()?;
    let (len, rest) = match head[1] & 127 {
        126 => {
            let (len, rest) = rest.split_first_chunk::<2>()?;
            (u64::from(u16::from_be_bytes(*len)), rest)
        }
        127 => {
            let (len, rest) = rest.split_first_chunk::<8>()?;
            (u64::from_be_bytes(*len), rest)
        }
        len => (u64::from(len), rest),
    };
    let rest = if head[1] & 0x80 != 0 { rest.get(4..)? } else { rest };
    let (payload, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
    Some((*head, payload, rest))
}

/// A client's frame of at most 125 bytes, masked.
pub fn client_frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let len = u8::try_from(payload.len()).expect("a control frame is short");
    let mut out = vec![0x80 | opcode, 0x80 | len];
    out.extend_from_slice(&MASK);
    out.extend(payload.iter().zip(MASK.iter().cycle()).map(|(b, mask)| b ^ mask));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_joined_and_control_frames_stand_alone() {
        let wire = [
            &[0x01, 2][..],
            b"he",
            &[0x89, 1],
            b"p",
            &[0x80, 3],
            b"llo",
            &[0x88, 2, 0x03, 0xe8, 0x81],
        ]
        .concat();
        let seen = messages(&wire);
        assert_eq!(seen.whole, [(9, b"p".to_vec()), (1, b"hello".to_vec())]);
        assert_eq!((seen.close, seen.faults.len()), (Some(1000), 0));
        assert_eq!(messages(&[0x88, 0]).close, Some(1005));
        assert_eq!(messages(&client_frame(1, b"x")).faults, ["server sent a masked frame"]);
        assert_eq!(messages(&[0x82, 126, 0, 200]), Messages::default());
    }
}
