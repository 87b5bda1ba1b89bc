//! A blocking HTTP/1.1 client that sends what it is told, byte by byte if need be, and reads answers strictly.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use pw_conformance::response::{self, Missing, Response};
use socket2::{Domain, SockRef, Socket, Type};

use crate::transport::{PATIENCE, Server};

/// One connection.
pub struct Client {
    stream: TcpStream,
    /// Bytes that came and were not taken yet.
    came: Vec<u8>,
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Closed, after these bytes nobody had taken.
    Closed(Vec<u8>),
    /// Reset.
    Reset,
}

impl Client {
    /// Connects.
    pub fn to(server: &Server) -> Self {
        Self::to_address(server.address())
    }

    /// Connects.
    pub fn to_address(address: SocketAddr) -> Self {
        Self::on(TcpStream::connect_timeout(&address, PATIENCE).expect("the server can be connected to"))
    }

    /// Connects, and has the kernel hold little of what comes and is not read.
    pub fn receiving_little(server: &Server) -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket can be made");
        socket.set_recv_buffer_size(4 << 10).expect("a socket takes options");
        socket
            .connect_timeout(&server.address().into(), PATIENCE)
            .expect("the server can be connected to");
        Self::on(socket.into())
    }

    fn on(stream: TcpStream) -> Self {
        stream.set_nodelay(true).expect("a connected socket takes options");
        stream.set_read_timeout(Some(PATIENCE)).expect("as above");
        stream.set_write_timeout(Some(PATIENCE)).expect("as above");
        Self {
            stream,
            came: Vec::new(),
        }
    }

    /// Connects and sends.
    pub fn sending(server: &Server, bytes: impl AsRef<[u8]>) -> Self {
        let mut client = Self::to(server);
        client.send(bytes);
        client
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

    /// Sends what may come too late: the connection may have been ended by what was sent before.
    pub fn send_late(&mut self, bytes: &[u8]) {
        if let Err(why) = self.stream.write_all(bytes) {
            assert!(is_reset(why.kind()), "{why}");
        }
    }

    /// Sends as much as the server takes, from another thread; what becomes of it is no matter.
    pub fn send_meanwhile(&self, bytes: Vec<u8>) {
        let mut stream = self.stream.try_clone().expect("a socket can be shared");
        std::thread::spawn(move || stream.write_all(&bytes));
    }

    /// Sends a byte after another with a pause between, until all are sent, an answer begins or the connection ends.
    pub fn drip(&mut self, bytes: &[u8], pause: Duration) {
        for byte in bytes {
            if self.stream.write_all(&[*byte]).is_err() || self.hears_within(pause) {
                return;
            }
        }
    }

    /// Sends a piece after another, each once the server has had time to find that there is no more yet.
    pub fn send_in_pieces(&mut self, pieces: &[&[u8]]) {
        for piece in pieces {
            assert!(!self.hears_within(Duration::from_millis(100)), "{}", self.shown());
            self.send(piece);
        }
    }

    /// Tells the server that nothing more comes.
    pub fn half_close(&self) {
        self.stream.shutdown(Shutdown::Write).expect("the connection is open");
    }

    /// Goes away with a reset.
    pub fn reset(self) {
        let socket = SockRef::from(&self.stream);
        socket
            .set_linger(Some(Duration::ZERO))
            .expect("a connected socket takes options");
    }

    /// The next response to a GET or POST.
    ///
    /// # Panics
    /// None comes, or what comes breaks a rule.
    pub fn response(&mut self) -> Response {
        self.response_to("GET")
    }

    /// The next final response; interim ones are passed over.
    ///
    /// # Panics
    /// As [`Self::response`].
    pub fn response_to(&mut self, method: &str) -> Response {
        loop {
            let response = self.any_response(method);
            if !response.is_interim() {
                return response;
            }
        }
    }

    /// The next response, final or not.
    ///
    /// # Panics
    /// As [`Self::response`].
    pub fn any_response(&mut self, method: &str) -> Response {
        loop {
            match response::read(&self.came, method, false, false) {
                Ok((response, rest)) => {
                    assert_eq!(response.faults, [""; 0], "{}", self.shown());
                    self.came = rest.to_vec();
                    return response;
                }
                Err(Missing::Broken(why)) => panic!("{why}: {}", self.shown()),
                Err(Missing::Incomplete) => {}
            }
            match self.read() {
                Ok(0) => panic!("closed before an answer: {}", self.shown()),
                Ok(_) => {}
                Err(why) => panic!("{why} before an answer: {}", self.shown()),
            }
        }
    }

    /// The statuses of the next responses.
    pub fn statuses(&mut self, count: usize) -> Vec<u16> {
        (0..count).map(|_| self.response().status).collect()
    }

    /// Reads to the end of the connection.
    ///
    /// # Panics
    /// There is none.
    pub fn end(&mut self) -> End {
        loop {
            match self.read() {
                Ok(0) => return End::Closed(std::mem::take(&mut self.came)),
                Ok(_) => {}
                Err(why) if is_reset(why.kind()) => return End::Reset,
                Err(why) => panic!("{why} instead of an end: {}", self.shown()),
            }
        }
    }

    /// All that comes until the connection ends, however it does.
    pub fn rest(&mut self) -> Vec<u8> {
        match self.end() {
            End::Closed(rest) => rest,
            End::Reset => self.taken(),
        }
    }

    /// What has come by now and was not taken.
    pub fn taken(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.came)
    }

    /// Reads to the end of the connection, which is a close with nothing before it.
    ///
    /// # Panics
    /// It is not.
    pub fn expect_close(&mut self) {
        assert_eq!(self.end(), End::Closed(Vec::new()));
    }

    /// Sends a request and gets its answer, to show that the connection lives.
    pub fn expect_alive(&mut self) {
        self.send("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let response = self.response();
        assert_eq!((response.status, &response.body[..]), (200, &b"{\"ok\":true}"[..]));
    }

    /// Waits until the server takes nothing more, its close complete, without reading what it sent.
    ///
    /// # Panics
    /// It goes on taking.
    pub fn expect_no_more_taken(&mut self) {
        let begun = Instant::now();
        self.stream
            .set_write_timeout(Some(Duration::from_millis(100)))
            .expect("a connected socket takes options");
        while begun.elapsed() < PATIENCE {
            match self.stream.write(b"\r\n") {
                Err(why) if is_reset(why.kind()) => return,
                Err(why) => assert!(is_later(why.kind()), "{why}"),
                Ok(_) => std::thread::park_timeout(Duration::from_millis(5)),
            }
        }
        panic!("the server still takes what is sent");
    }

    /// Whether something comes within this time: bytes or the end.
    pub fn hears_within(&mut self, time: Duration) -> bool {
        self.stream
            .set_read_timeout(Some(time))
            .expect("a connected socket takes options");
        let heard = match self.read() {
            Err(why) => !is_later(why.kind()),
            Ok(_) => true,
        };
        self.stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a connected socket takes options");
        heard
    }

    /// Some of what has come and comes next, at least something.
    ///
    /// # Panics
    /// The connection ends.
    pub fn some(&mut self) -> Vec<u8> {
        if self.came.is_empty() {
            let count = self.read().expect("more comes");
            assert!(count > 0, "the connection has ended");
        }
        std::mem::take(&mut self.came)
    }

    /// Reads at most this much of what comes, and drops it; how much it was.
    pub fn discard(&mut self, most: usize) -> usize {
        self.try_discard(most).expect("more comes")
    }

    /// As [`Self::discard`].
    ///
    /// # Errors
    /// The connection has ended.
    pub fn try_discard(&mut self, most: usize) -> std::io::Result<usize> {
        match self.stream.read(&mut vec![0; most])? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }

    fn read(&mut self) -> std::io::Result<usize> {
        let mut chunk = [0; 64 << 10];
        let n = self.stream.read(&mut chunk)?;
        self.came.extend_from_slice(&chunk[..n]);
        Ok(n)
    }

    fn shown(&self) -> String {
        self.came[..self.came.len().min(300)].escape_ascii().to_string()
    }
}

/// Whether an error means that the other end is gone.
pub fn is_reset(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected)
}

/// Whether an error means that a time has passed.
pub fn is_later(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::TimedOut)
}

/// A GET of a path.
pub fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

/// A POST of a body of declared length.
pub fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let mut request = declaring(path, body.len());
    request.extend_from_slice(body);
    request
}

/// The head of a POST that declares its length.
pub fn declaring(path: &str, length: usize) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n").into_bytes()
}

/// The head of a POST with a chunked body.
pub fn chunking(path: &str) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes()
}

/// A body as one chunk, without the last chunk.
pub fn chunk(body: &[u8]) -> Vec<u8> {
    let mut out = format!("{:x}\r\n", body.len()).into_bytes();
    out.extend_from_slice(body);
    out.extend_from_slice(b"\r\n");
    out
}
