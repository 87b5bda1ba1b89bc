//! The least a client can do: write the request, read the whole answer, allocate nothing.

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// What a client of this kind says of itself.
pub(crate) const FIELDS: &str = "Host: 127.0.0.1:8080\r\nUser-Agent: pipe/1.0\r\nAccept: */*\r\n";

/// More than any answer here takes.
const CAPACITY: usize = 64 * 1024;

/// One keep-alive connection that asks for the same thing again and again.
pub(crate) struct Client {
    io: DuplexStream,
    request: Vec<u8>,
    buffer: Vec<u8>,
    /// The length of an answer, known from the first one on: it is always the same, and finding it is not the server's
    /// cost.
    length: Option<usize>,
}

impl Client {
    pub(crate) fn new(io: DuplexStream, request: &str) -> Self {
        Self {
            io,
            request: request.as_bytes().to_vec(),
            buffer: vec![0; CAPACITY],
            length: None,
        }
    }

    pub(crate) async fn exchange(&mut self) {
        self.io.write_all(&self.request).await.expect("the server reads");
        let mut read = 0;
        while self.length.is_none_or(|length| read < length) {
            let more = self
                .io
                .read(&mut self.buffer[read..])
                .await
                .expect("a pipe has no errors");
            assert!(more > 0, "the answer ends early, or is too long for this client");
            read += more;
            self.length = self.length.or_else(|| length(&self.buffer[..read]));
        }
        assert_eq!(Some(read), self.length, "the answers differ in length");
    }

    /// The last answer, head and content.
    pub(crate) fn answer(&self) -> &[u8] {
        &self.buffer[..self.length.unwrap_or(0)]
    }
}

/// A request for this path.
pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{FIELDS}\r\n")
}

/// How long the answer is that begins like this, if its head is there.
fn length(answer: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(answer).expect("answers here are text");
    let (head, _) = text.split_once("\r\n\r\n")?;
    let content = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let content: usize = content
        .expect("every answer here has a length")
        .parse()
        .expect("a length is a number");
    Some(head.len() + 4 + content)
}
