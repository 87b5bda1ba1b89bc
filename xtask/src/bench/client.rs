//! A client of one connection, for what is asked before a server is measured. It reads answers that say their length, and
//! nothing else: those that don't are no answers here.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

/// A server that says nothing for this long is not going to.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection to a server of this machine.
pub(super) struct Client {
    stream: TcpStream,
    /// What has come and was not read yet.
    read: Vec<u8>,
}

/// What a server answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    /// Names in small letters.
    fields: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Client {
    pub(super) fn connect(port: u16) -> io::Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let read = Vec::new();
        Ok(Self { stream, read })
    }

    /// Asks by HTTP/1.1, and keeps the connection.
    pub(super) fn ask(&mut self, method: &str, target: &str, body: &[u8]) -> io::Result<Answer> {
        let length = match body.len() {
            0 => String::new(),
            length => format!("content-length: {length}\r\n"),
        };
        let head = format!("{method} {target} HTTP/1.1\r\nhost: localhost\r\n{length}\r\n");
        self.send(&[head.as_bytes(), body].concat())
    }

    /// Sends a whole request, and reads its answer.
    pub(super) fn send(&mut self, request: &[u8]) -> io::Result<Answer> {
        let mut answer = self.begin(request)?;
        let length: usize = answer
            .field("content-length")
            .and_then(|length| length.parse().ok())
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "an answer without a length"))?;
        while self.read.len() < length {
            self.more()?;
        }
        answer.body = self.read.drain(..length).collect();
        Ok(answer)
    }

    /// Sends a whole request, and reads the head of its answer.
    pub(super) fn begin(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.stream.write_all(request)?;
        let end = loop {
            match self.read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                Some(end) => break end,
                None => self.more()?,
            }
        };
        let answer = std::str::from_utf8(&self.read[..end])
            .ok()
            .and_then(head)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no head of HTTP"))?;
        self.read.drain(..end + 4);
        Ok(answer)
    }

    /// What has come by now. An error: nothing comes any more.
    pub(super) fn come(&mut self) -> io::Result<Vec<u8>> {
        self.stream.set_nonblocking(true)?;
        loop {
            match self.more() {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        self.stream.set_nonblocking(false)?;
        Ok(std::mem::take(&mut self.read))
    }

    /// Whether the server keeps this connection, of which nothing is expected.
    pub(super) fn is_kept(&mut self) -> bool {
        let _ = self.stream.set_nonblocking(true);
        let seen = self.stream.read(&mut [0; 1]);
        matches!(seen, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }

    fn more(&mut self) -> io::Result<()> {
        let mut piece = [0; 16 * 1024];
        match self.stream.read(&mut piece)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            length => {
                self.read.extend_from_slice(&piece[..length]);
                Ok(())
            }
        }
    }
}

impl Answer {
    /// The first of this name.
    pub(super) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Of a head without its last line's end.
fn head(text: &str) -> Option<Answer> {
    let (line, rest) = text.split_once("\r\n").unwrap_or((text, ""));
    let status = line.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    let fields = rest
        .split_terminator("\r\n")
        .map(|line| line.split_once(':'))
        .map(|field| field.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())))
        .collect::<Option<_>>()?;
    let body = Vec::new();
    Some(Answer { status, fields, body })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_head_is_a_status_and_fields() {
        let answer = head("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nDate:now").unwrap();
        assert_eq!((answer.status, answer.field("content-length")), (404, Some("0")));
        assert_eq!(answer.field("date"), Some("now"));
        assert_eq!(head("HTTP/1.1 200"), head("HTTP/1.0 200 OK"));
        assert_eq!((head("SSH-2.0"), head("HTTP/1.1 200 OK\r\nno field")), (None, None));
    }

    #[test]
    fn answers_are_read_to_their_length_and_not_further() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = Client::connect(listener.local_addr().unwrap().port()).unwrap();
        let (mut server, _) = listener.accept().unwrap();
        server
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nabHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nc")
            .unwrap();
        assert_eq!(client.ask("GET", "/", b"").unwrap().body, b"ab");
        assert_eq!(client.ask("POST", "/", b"x").unwrap().body, b"c");
        let mut asked = [0; 40];
        server.read_exact(&mut asked).unwrap();
        assert!(asked.starts_with(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\nPOST"));
        assert!(client.is_kept());
        // A server that closes with something unread resets the connection, which is no answer either.
        drop(server);
        assert!(client.ask("GET", "/", b"").is_err());
    }
}
