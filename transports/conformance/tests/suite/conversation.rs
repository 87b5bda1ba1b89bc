//! A conversation on one connection, held in the same way with any server, and all that was heard in it: what parity and
//! differential tests compare. It judges nothing.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use pw_conformance::response::{self, Missing};

use crate::client::{is_later, is_reset};
use crate::transport::PATIENCE;

/// What the client does. When it has done all, it shuts its side and reads to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sends.
    Send(Vec<u8>),
    /// Leaves the server time to read what it was sent, most likely.
    Pause,
    /// Waits for an answer to a request of this method, an interim one, too.
    Hear(&'static str),
}

/// All that was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// What came, without what no two answers have in common: the dates, the ids of requests that brought none, the boundaries of parts.
    pub bytes: Vec<u8>,
    /// How it ended.
    pub end: End,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By a close.
    Closed,
    /// By a reset.
    Reset,
    /// Not within the client's patience.
    Open,
}

/// Holds a conversation.
pub fn hold(server: SocketAddr, steps: &[Step]) -> Heard {
    let mut talk = Talk::to(server);
    let mut end = None;
    for step in steps {
        match step {
            Step::Send(bytes) => talk.send(bytes),
            Step::Pause => std::thread::park_timeout(Duration::from_millis(1)),
            Step::Hear(method) => end = talk.hear(method),
        }
        if end.is_some() {
            break;
        }
    }
    let end = end.unwrap_or_else(|| {
        // It may be gone already, which is what the next read shows.
        let _ = talk.stream.shutdown(Shutdown::Write);
        talk.hear_all()
    });
    Heard {
        bytes: without_chance(&talk.heard),
        end,
    }
}

struct Talk {
    stream: TcpStream,
    heard: Vec<u8>,
    /// How much of it has been waited for.
    at: usize,
}

impl Talk {
    fn to(server: SocketAddr) -> Self {
        let stream = TcpStream::connect_timeout(&server, PATIENCE).expect("the server can be connected to");
        stream.set_nodelay(true).expect("a connected socket takes options");
        stream.set_read_timeout(Some(PATIENCE)).expect("as above");
        stream.set_write_timeout(Some(PATIENCE)).expect("as above");
        Self {
            stream,
            heard: Vec::new(),
            at: 0,
        }
    }

    /// Sends all of it, or as much as the server takes.
    fn send(&mut self, bytes: &[u8]) {
        if let Err(why) = self.stream.write_all(bytes) {
            assert!(is_reset(why.kind()), "{why}");
        }
    }

    /// Waits for the next answer, unless the connection ends.
    fn hear(&mut self, method: &str) -> Option<End> {
        loop {
            match response::read(&self.heard[self.at..], method, false, false) {
                Ok((_, rest)) => {
                    self.at = self.heard.len() - rest.len();
                    return None;
                }
                // There is no telling where it would end.
                Err(Missing::Broken(_)) => return None,
                Err(Missing::Incomplete) => {}
            }
            if let Some(end) = self.read() {
                return Some(end);
            }
        }
    }

    fn hear_all(&mut self) -> End {
        loop {
            if let Some(end) = self.read() {
                return end;
            }
        }
    }

    fn read(&mut self) -> Option<End> {
        let mut chunk = [0; 64 << 10];
        match self.stream.read(&mut chunk) {
            Ok(0) => Some(End::Closed),
            Ok(count) => {
                self.heard.extend_from_slice(&chunk[..count]);
                None
            }
            Err(why) if is_reset(why.kind()) => Some(End::Reset),
            Err(why) if is_later(why.kind()) => Some(End::Open),
            Err(why) => panic!("{why}"),
        }
    }
}

/// The same without the values of `date`, those of `x-request-id` that a server made up, and what it made up to stand between parts.
/// All are blanked only where they have the form they must have.
fn without_chance(bytes: &[u8]) -> Vec<u8> {
    const DATE: &[u8] = b"\r\ndate: ";
    const ID: &[u8] = b"\r\nx-request-id: ";
    const PARTS: &[u8] = b"\r\ncontent-type: multipart/byteranges; boundary=";
    const PART: &[u8] = b"\r\n--";
    let mut out = bytes.to_vec();
    let mut at = 0;
    // A line end is where either begins, and there are not many.
    while let Some(line) = out[at..].iter().position(|byte| *byte == b'\r') {
        at += line;
        let rest = &mut out[at..];
        if rest.starts_with(DATE) {
            blank(&mut rest[DATE.len()..], 29, b"\r\n", is_date);
        } else if let Some(made_up) = [ID, PARTS].into_iter().find(|name| rest.starts_with(name)) {
            blank(&mut rest[made_up.len()..], 32, b"\r\n", is_made_up);
        } else if rest.starts_with(PART) {
            blank(&mut rest[PART.len()..], 32, b"\r\n", is_made_up);
            // The last of them.
            blank(&mut rest[PART.len()..], 32, b"--", is_made_up);
        }
        at += 1;
    }
    out
}

fn blank(value: &mut [u8], length: usize, end: &[u8], fits: impl Fn(&[u8]) -> bool) {
    if let Some((text, rest)) = value.split_at_mut_checked(length)
        && rest.starts_with(end)
        && fits(text)
    {
        text.fill(b'*');
    }
}

/// Whether it reads as 128 bits from a source of chance do.
fn is_made_up(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Whether it reads as `Sun, 06 Nov 1994 08:49:37 GMT` does.
pub fn is_date(text: &[u8]) -> bool {
    b"Aaa, 00 Aaa 0000 00:00:00 GMT"
        .iter()
        .zip(text)
        .all(|(form, byte)| match form {
            b'A' => byte.is_ascii_uppercase(),
            b'a' => byte.is_ascii_lowercase(),
            b'0' => byte.is_ascii_digit(),
            _ => byte == form,
        })
}

impl Heard {
    /// The statuses that were heard.
    pub fn statuses(&self) -> Vec<u16> {
        const LINE: &[u8] = b"HTTP/1.";
        let mut out = Vec::new();
        let mut rest = &self.bytes[..];
        while let Some(at) = rest.iter().position(|byte| *byte == b'H') {
            rest = &rest[at..];
            let code = rest
                .strip_prefix(LINE)
                .and_then(|line| std::str::from_utf8(line.get(2..5)?).ok());
            // `HTTP/1.1` also stands in bodies that show a request, with a line end behind it.
            out.extend(code.and_then(|code| code.parse::<u16>().ok()));
            rest = &rest[1..];
        }
        out
    }

    /// What is different from another, for people: where it begins, and what stands there.
    pub fn difference(&self, other: &Self) -> String {
        let at = self.bytes.iter().zip(&other.bytes).take_while(|(a, b)| a == b).count();
        let from = at.saturating_sub(400);
        let shown = |heard: &Self| {
            let bytes = &heard.bytes[from..heard.bytes.len().min(at + 400)];
            format!(
                "{} bytes, {:?}: ..{}..",
                heard.bytes.len(),
                heard.end,
                bytes.escape_ascii()
            )
        };
        format!("from byte {at} on\n    {}\n    {}", shown(self), shown(other))
    }
}

/// What the client does, for people.
pub fn shown(steps: &[Step]) -> String {
    let line = |step: &Step| match step {
        Step::Send(bytes) if bytes.len() > 4000 => {
            format!(
                "    send {} bytes, b\"{}\"..\n",
                bytes.len(),
                bytes[..4000].escape_ascii()
            )
        }
        Step::Send(bytes) => format!("    send b\"{}\"\n", bytes.escape_ascii()),
        Step::Pause => "    pause\n".to_owned(),
        Step::Hear(method) => format!("    hear the answer to {method}\n"),
    };
    steps.iter().map(line).collect()
}

#[test]
fn what_is_made_up_is_blanked_and_nothing_else() {
    let date = "date: Sun, 06 Nov 1994 08:49:37 GMT";
    let id = "x-request-id: 0123456789abcdef0123456789abcdef";
    let blanked = |text: &str| String::from_utf8(without_chance(text.as_bytes())).expect("it is text");
    let (stars, more) = ("*".repeat(29), "*".repeat(32));
    assert_eq!(
        blanked(&format!("HTTP/1.1 200 OK\r\n{id}\r\n{date}\r\n\r\n")),
        format!("HTTP/1.1 200 OK\r\nx-request-id: {more}\r\ndate: {stars}\r\n\r\n")
    );
    let parts = |boundary: &str| {
        format!(
            "HTTP/1.1 206 P\r\ncontent-type: multipart/byteranges; boundary={boundary}\r\n\r\n--{boundary}\r\n\r\na\r\n--{boundary}--\r\n"
        )
    };
    assert_eq!(blanked(&parts("0123456789abcdef0123456789abcdef")), parts(&more));
    assert_eq!(blanked(&parts("0123456789abcdef")), parts("0123456789abcdef"));
    for same in [
        "a\r\ndate: Sun, 06 Nov 1994 08:49:37 UTC\r\n",
        "a\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT \r\n",
        "a\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
        "a\r\nx-request-id: mine\r\n",
        "a\r\nx-request-id: 0123456789abcdef0123456789abcdeF\r\n",
        "a\r\ndate: Sun",
    ] {
        assert_eq!(blanked(same), same);
    }
}

#[test]
fn statuses_are_not_taken_from_bodies() {
    let heard = Heard {
        bytes: b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 404 Not Found\r\n\r\nGET / HTTP/1.1\r\nHTTP/1.1".to_vec(),
        end: End::Closed,
    };
    assert_eq!(heard.statuses(), [100, 404]);
}
