//! The client's side of HTTP/1.1: one request out, one answer in, strictly.
//!
//! It shares no code with the server, so that both can't agree on a mistake.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

use super::Answer;

/// The most fields of an answer that are read.
const MAX_FIELDS: usize = 256;

/// How much of what was taken is kept, to be shown with what is no HTTP.
const KEPT: usize = 64 * 1024;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The connection was closed before the first byte.
    NoAnswer,
    /// The application was stopped, and there is no port any more.
    Stopped,
    /// The connection was closed within the content: what had come of the answer.
    Early(Vec<u8>),
    Timeout(Duration),
    /// What came is not an HTTP answer: why, and the bytes.
    Malformed(String, Vec<u8>),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer => f.write_str("the server closed the connection without an answer"),
            Self::Stopped => f.write_str("the application was stopped, and takes no more connections"),
            Self::Early(bytes) => write!(f, "its content ends early\n{}", bytes.escape_ascii()),
            Self::Timeout(time) => write!(f, "there was no whole answer within {time:?}"),
            Self::Malformed(why, bytes) => {
                write!(f, "the answer is not HTTP: {why}\n{}", bytes.escape_ascii())
            }
        }
    }
}

/// Sends a request and reads its answer. The connection comes back if it may carry another one.
pub(super) async fn exchange(
    io: DuplexStream,
    method: &str,
    request: Arc<[u8]>,
) -> Result<(Answer, Option<DuplexStream>), Failure> {
    let (head, mut opened) = Opened::new(io, method, request).await?;
    let content = opened.content().await?;
    if opened.input.at < opened.input.bytes.len() {
        return Err(opened.input.malformed("bytes follow it"));
    }
    let reusable = match opened.persists {
        true => opened.into_io().await.map(|(io, _)| io),
        false => None,
    };
    Ok((Answer::new(head.status, head.fields, content), reusable))
}

/// An answer whose head has come.
pub(super) struct Opened {
    input: Input,
    framing: Framing,
    writing: JoinHandle<io::Result<WriteHalf<DuplexStream>>>,
    /// Whether another request may follow.
    persists: bool,
}

impl Opened {
    /// Sends a request and reads the head of its answer.
    pub(super) async fn new(io: DuplexStream, method: &str, request: Arc<[u8]>) -> Result<(Head, Self), Failure> {
        let (read, mut write) = tokio::io::split(io);
        // Beside the reading: the server may refuse a body before all of it was sent.
        let writing = tokio::spawn(async move { write.write_all(&request).await.map(|()| write) });
        let mut input = Input {
            io: read,
            bytes: Vec::new(),
            at: 0,
        };
        let head = input.final_head().await?;
        let framing = Framing::of(&head, method).map_err(|why| input.malformed(why))?;
        let opened = Self {
            input,
            writing,
            persists: head.persists && !matches!(framing, Framing::Close),
            framing,
        };
        Ok((head, opened))
    }

    /// What comes next of the content; `None` at its clean end.
    pub(super) async fn piece(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let input = &mut self.input;
        let piece = match &mut self.framing {
            Framing::Length(0) => None,
            Framing::Length(left) => {
                let piece = input.some(*left).await?.ok_or_else(|| input.early())?;
                *left -= piece.len();
                Some(piece)
            }
            Framing::Close => input.some(usize::MAX).await?,
            Framing::Chunked => input.chunk().await?,
        };
        if piece.is_none() {
            self.framing = Framing::Length(0);
        }
        Ok(piece)
    }

    /// All that is left.
    pub(super) async fn content(&mut self) -> Result<Vec<u8>, Failure> {
        let mut content = Vec::new();
        while let Some(piece) = self.piece().await? {
            content.extend(piece);
        }
        Ok(content)
    }

    /// The connection, once the request was sent, and what was read of it and not taken. `None`: it broke.
    pub(super) async fn into_io(self) -> Option<(DuplexStream, Vec<u8>)> {
        let write = self.writing.await.ok()?.ok()?;
        let mut ahead = self.input.bytes;
        ahead.drain(..self.input.at);
        Some((self.input.io.unsplit(write), ahead))
    }
}

/// What an answer begins with.
pub(super) struct Head {
    pub(super) status: StatusCode,
    pub(super) fields: HeaderMap,
    persists: bool,
}

/// How an answer's content is delimited (RFC 9112 6.3).
enum Framing {
    /// So much is left.
    Length(usize),
    Chunked,
    Close,
}

impl Framing {
    fn of(head: &Head, method: &str) -> Result<Self, &'static str> {
        if method == "HEAD" || matches!(head.status.as_u16(), 204 | 304) {
            return Ok(Self::Length(0));
        }
        let mut lengths = head.fields.get_all(http::header::CONTENT_LENGTH).iter();
        let length = lengths.next();
        match head.fields.get(http::header::TRANSFER_ENCODING) {
            Some(_) if length.is_some() => Err("it has both a length and a transfer coding"),
            Some(coding) if coding == "chunked" => Ok(Self::Chunked),
            Some(_) => Err("its transfer coding is not `chunked`"),
            None if lengths.next().is_some() => Err("it has two lengths"),
            None => length.map_or(Ok(Self::Close), |length| {
                decimal(length.as_bytes())
                    .map(Self::Length)
                    .ok_or("its length is no number")
            }),
        }
    }
}

/// What has come in, and how far it is read.
struct Input {
    io: ReadHalf<DuplexStream>,
    bytes: Vec<u8>,
    at: usize,
}

impl Input {
    /// The head that is no interim one.
    async fn final_head(&mut self) -> Result<Head, Failure> {
        loop {
            let head = self.head().await?;
            if !head.status.is_informational() || head.status == StatusCode::SWITCHING_PROTOCOLS {
                return Ok(head);
            }
        }
    }

    async fn head(&mut self) -> Result<Head, Failure> {
        loop {
            match parse_head(&self.bytes[self.at..]) {
                Ok(Some((head, length))) => {
                    self.at += length;
                    return Ok(head);
                }
                Ok(None) => {}
                Err(why) => return Err(self.malformed(why)),
            }
            if !self.fill().await {
                return Err(match self.bytes.is_empty() {
                    true => Failure::NoAnswer,
                    false => self.malformed("its head ends early"),
                });
            }
        }
    }

    /// The next chunk; `None` behind the last one and its trailers.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let line = self.line().await?;
        let size = line.split(|b| *b == b';').next().unwrap_or_default();
        let size = std::str::from_utf8(size)
            .ok()
            .and_then(|size| usize::from_str_radix(size, 16).ok())
            .ok_or_else(|| self.malformed("a chunk's size is no number"))?;
        if size == 0 {
            while !self.line().await?.is_empty() {}
            return Ok(None);
        }
        let chunk = self.take(size).await?;
        if !self.line().await?.is_empty() {
            return Err(self.malformed("a chunk is longer than its size"));
        }
        Ok(Some(chunk))
    }

    /// What there is, and no more than so much of it; `None` at the end.
    async fn some(&mut self, most: usize) -> Result<Option<Vec<u8>>, Failure> {
        if self.at == self.bytes.len() && !self.fill().await {
            return Ok(None);
        }
        let count = most.min(self.bytes.len() - self.at);
        self.take(count).await.map(Some)
    }

    async fn take(&mut self, length: usize) -> Result<Vec<u8>, Failure> {
        while self.bytes.len() - self.at < length {
            if !self.fill().await {
                return Err(self.early());
            }
        }
        self.at += length;
        Ok(self.bytes[self.at - length..self.at].to_vec())
    }

    async fn line(&mut self) -> Result<Vec<u8>, Failure> {
        loop {
            let rest = &self.bytes[self.at..];
            if let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
                let line = rest[..end].to_vec();
                self.at += end + 2;
                return Ok(line);
            }
            if !self.fill().await {
                return Err(self.early());
            }
        }
    }

    /// Reads more, in place of what was taken; `false` at the end.
    async fn fill(&mut self) -> bool {
        if self.at == self.bytes.len() && self.at > KEPT {
            self.bytes.clear();
            self.at = 0;
        }
        matches!(self.io.read_buf(&mut self.bytes).await, Ok(1..))
    }

    fn early(&self) -> Failure {
        Failure::Early(self.bytes.clone())
    }

    fn malformed(&self, why: &str) -> Failure {
        Failure::Malformed(why.to_owned(), self.bytes.clone())
    }
}

/// The head at the start of `bytes` and its length, or `None` if there is more of it to come.
fn parse_head(bytes: &[u8]) -> Result<Option<(Head, usize)>, &'static str> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut parsed = httparse::Response::new(&mut fields);
    let length = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err("its head can't be parsed"),
    };
    let status = parsed
        .code
        .and_then(|code| StatusCode::from_u16(code).ok())
        .ok_or("its status is no status")?;
    let mut fields = HeaderMap::new();
    for field in parsed.headers.iter() {
        let name = HeaderName::from_bytes(field.name.as_bytes()).map_err(|_| "a field's name is no name")?;
        let value = HeaderValue::from_bytes(field.value).map_err(|_| "a field's value is no value")?;
        fields.append(name, value);
    }
    let closes = fields.get_all(http::header::CONNECTION).iter().any(|value| {
        value
            .as_bytes()
            .split(|b| *b == b',')
            .any(|o| o.trim_ascii().eq_ignore_ascii_case(b"close"))
    });
    let persists = parsed.version == Some(1) && !closes && status != StatusCode::SWITCHING_PROTOCOLS;
    let head = Head {
        status,
        fields,
        persists,
    };
    Ok(Some((head, length)))
}

fn decimal(digits: &[u8]) -> Option<usize> {
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(method: &str, bytes: &'static [u8]) -> Result<(Answer, bool), String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (client, server) = tokio::io::duplex(1024);
            let serving = tokio::spawn(async move {
                let (mut read, mut write) = tokio::io::split(server);
                let mut request = [0; 4];
                read.read_exact(&mut request).await.unwrap();
                for byte in bytes {
                    write.write_all(&[*byte]).await.unwrap();
                }
            });
            let outcome = exchange(client, method, Arc::from(*b"ping")).await;
            serving.await.unwrap();
            outcome
                .map(|(answer, reusable)| (answer, reusable.is_some()))
                .map_err(|failure| failure.to_string())
        })
    }

    #[test]
    fn content_is_found_by_its_framing() {
        for (method, bytes, content, reusable) in [
            ("GET", &b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"[..], "ok", true),
            ("HEAD", b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n", "", true),
            ("GET", b"HTTP/1.1 204 No Content\r\n\r\n", "", true),
            ("GET", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "", true),
            ("GET", b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok", "ok", false),
            ("GET", b"HTTP/1.1 200 OK\r\n\r\nto the end", "to the end", false),
            ("GET", b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok", "ok", false),
            (
                "GET",
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\nA;x=1\r\n0123456789\r\n0\r\nx: y\r\n\r\n",
                "ok0123456789",
                true,
            ),
        ] {
            let (answer, again) = answered(method, bytes).unwrap();
            assert_eq!((answer.text(), again), (content.to_owned(), reusable), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_is_not_http_is_refused() {
        for (bytes, why) in [
            (&b""[..], "without an answer"),
            (b"HTTP/1.1 200 OK\r\ncontent-le", "its head ends early"),
            (b"HELLO\r\n\r\n", "its head can't be parsed"),
            (
                b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok",
                "its content ends early",
            ),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nok", "bytes follow it"),
            (
                b"HTTP/1.1 200 OK\r\ncontent-length: +2\r\n\r\nok",
                "its length is no number",
            ),
            (
                b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 2\r\n\r\nok",
                "two lengths",
            ),
            (
                b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\nok",
                "both a length",
            ),
            (
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nok\r\n",
                "longer than its size",
            ),
        ] {
            let said = answered("GET", bytes).map(|_| ()).unwrap_err();
            assert!(said.contains(why), "{}: {said}", bytes.escape_ascii());
        }
    }
}
