//! A socket of an attacker: it never blocks, and tells what became of it.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, SockRef, Type};

use crate::client::is_later;

const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a segment, as on an Ethernet, and what the attacker's kernel holds in each direction. With what a loopback device is given,
/// the kernel holds megabytes for each connection that is not read: it takes long to fill them, and what is measured then is how the
/// kernel gets along without memory.
#[cfg(unix)]
const SEGMENT: u32 = 1460;
const HELD: usize = 16 << 10;

/// One connection.
pub(crate) struct Socket(TcpStream);

/// What came of a try to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// This many bytes were taken, 0 if none are taken now.
    Bytes(usize),
    /// The server has reset the connection.
    Gone,
}

/// What came of a try to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing is there.
    Nothing,
    /// This many bytes.
    Bytes(usize),
    /// The server has closed its side.
    Closed,
    /// The server has reset the connection.
    Reset,
}

impl Socket {
    /// Connects.
    ///
    /// # Errors
    /// The operating system's.
    pub(crate) fn connect(address: SocketAddr) -> io::Result<Self> {
        let socket = socket2::Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        #[cfg(unix)]
        socket.set_tcp_mss(SEGMENT)?;
        socket.set_recv_buffer_size(HELD)?;
        socket.set_send_buffer_size(HELD)?;
        socket.connect_timeout(&address.into(), PATIENCE)?;
        let stream = TcpStream::from(socket);
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Self(stream))
    }

    /// Sends what is taken at once.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Sent {
        match self.0.write(bytes) {
            Ok(count) => Sent::Bytes(count),
            Err(why) if is_later(&why) => Sent::Bytes(0),
            Err(_) => Sent::Gone,
        }
    }

    /// Reads what is there.
    pub(crate) fn hear(&mut self, into: &mut [u8]) -> Heard {
        match self.0.read(into) {
            Ok(0) => Heard::Closed,
            Ok(count) => Heard::Bytes(count),
            Err(why) if is_later(&why) => Heard::Nothing,
            Err(_) => Heard::Reset,
        }
    }

    /// Whether the server has reset it; nothing is read for that. It says so once.
    pub(crate) fn is_reset(&self) -> bool {
        !matches!(self.0.take_error(), Ok(None))
    }

    /// Goes away with a reset.
    pub(crate) fn reset(self) {
        // Where the server has reset it already, it goes anyway.
        let _ = SockRef::from(&self.0).set_linger(Some(Duration::ZERO));
    }
}
