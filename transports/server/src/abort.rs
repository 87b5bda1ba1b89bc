//! Giving a connection up: what a transport asks of a stream beside reading and writing.

use tokio::io::DuplexStream;
use tokio::net::TcpStream;

/// A connection that can be given up without waiting for what it has not sent.
pub trait Abort {
    /// The next drop throws away what was not sent.
    fn abort(&mut self);
}

impl Abort for TcpStream {
    fn abort(&mut self) {
        // Where it can't be set, the kernel gives up by itself, only later.
        let _ = self.set_zero_linger();
    }
}

impl Abort for DuplexStream {
    fn abort(&mut self) {}
}
