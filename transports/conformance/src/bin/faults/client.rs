//! A blocking client that does all right: it sends whole requests, and reads answers strictly.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use pw_conformance::response::{self, Missing, Response};
use socket2::SockRef;

/// How long it waits for anything.
const PATIENCE: Duration = Duration::from_secs(10);

/// What `GET` of a path is.
pub(crate) fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    /// Bytes that came and were not taken yet.
    came: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection ended before a byte of it.
    Nothing,
    /// The connection ended within it.
    Cut(usize),
    /// It is no answer, or another one.
    Wrong(String),
    /// It did not come in time.
    Late,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("the connection ended without an answer"),
            Self::Cut(came) => write!(f, "the connection ended {came} bytes into an answer"),
            Self::Wrong(why) => write!(f, "not the answer: {why}"),
            Self::Late => f.write_str("no answer in time"),
        }
    }
}

/// How a connection stands that nothing was asked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing came.
    Open,
    /// The server has closed it.
    Closed,
    /// The server has reset it.
    Reset,
    /// Bytes came that nobody asked for.
    Speaking,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// The operating system's.
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream,
            came: Vec::new(),
        })
    }

    /// Sends all of it. That the server takes no more is what the next answer shows.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// The next answer, of a request that was no HEAD.
    pub(crate) fn answer(&mut self) -> Result<Response, Failure> {
        // An answer that has a length is parsed once, when it is there.
        let mut size = 0;
        loop {
            if !self.came.is_empty() && self.came.len() >= size {
                match response::read(&self.came, "GET", false, false) {
                    Ok((response, rest)) => {
                        let taken = self.came.len() - rest.len();
                        self.came.drain(..taken);
                        return match response.faults.first() {
                            Some(fault) => Err(Failure::Wrong(fault.clone())),
                            None => Ok(response),
                        };
                    }
                    Err(Missing::Broken(why)) => return Err(Failure::Wrong(why)),
                    Err(Missing::Incomplete) => size = whole_size(&self.came).unwrap_or(0),
                }
            }
            let mut chunk = [0; 64 << 10];
            match self.stream.read(&mut chunk) {
                Ok(n) if n > 0 => self.came.extend_from_slice(&chunk[..n]),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) if is_later(&why) => return Err(Failure::Late),
                _ if self.came.is_empty() => return Err(Failure::Nothing),
                _ => return Err(Failure::Cut(self.came.len())),
            }
        }
    }

    /// Asks for a path, and holds the answer to status 200 and this content.
    pub(crate) fn ask(&mut self, path: &str, content: &[u8]) -> Result<Response, Failure> {
        self.send(get(path));
        let response = self.answer()?;
        expect(&response, content)?;
        Ok(response)
    }

    /// Goes away with a reset, which keeps no port from being used again.
    pub(crate) fn reset(self) {
        // Where the server has reset it already, it goes anyway.
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }

    /// What has become of the connection, without waiting.
    pub(crate) fn standing(&self) -> Standing {
        let looked = self
            .stream
            .set_nonblocking(true)
            .and_then(|()| self.stream.peek(&mut [0]));
        let standing = match looked {
            Ok(0) => Standing::Closed,
            Ok(_) => Standing::Speaking,
            Err(why) if is_later(&why) => Standing::Open,
            Err(_) => Standing::Reset,
        };
        match self.stream.set_nonblocking(false) {
            Ok(()) => standing,
            Err(_) => Standing::Reset,
        }
    }
}

/// Whether an answer is 200 with this content.
///
/// # Errors
/// It is another.
pub(crate) fn expect(response: &Response, content: &[u8]) -> Result<(), Failure> {
    if response.status == 200 && response.body == content {
        return Ok(());
    }
    let shown = &response.body[..response.body.len().min(80)];
    Err(Failure::Wrong(format!("{} {}", response.status, shown.escape_ascii())))
}

/// Whether an answer says that it is the connection's last.
pub(crate) fn is_last(response: &Response) -> bool {
    response
        .all("connection")
        .iter()
        .any(|value| value.eq_ignore_ascii_case("close"))
}

/// Whether a socket only has nothing to give now.
pub(crate) fn is_later(why: &io::Error) -> bool {
    matches!(why.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// Where an answer with a length ends, once its head is there.
fn whole_size(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
    Some(end + length.parse::<usize>().ok()?)
}
