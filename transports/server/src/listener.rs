//! The listening socket.
//!
//! What it accepts is a plain, non-blocking socket that no runtime has heard of: a transport may hand it to another thread's.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};

use socket2::{Domain, Socket, Type};

/// Connections the kernel may hold for us before they are accepted (it takes its own maximum if that is less).
const BACKLOG: i32 = 4096;

/// On Unix the system's own socket, so that accepting is one call and the reactor hears of nothing but the listener.
#[cfg(unix)]
type Registered = tokio::io::unix::AsyncFd<TcpListener>;
#[cfg(not(unix))]
type Registered = tokio::net::TcpListener;

/// A bound, listening socket.
#[derive(Debug)]
pub struct Listener(Registered);

impl Listener {
    /// Binds and listens. No other process can bind the same address meanwhile; after a crash it is free at once.
    ///
    /// # Errors
    /// The operating system's: the address is in use, is not ours, or needs privileges.
    ///
    /// # Panics
    /// There is no tokio runtime.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        // tokio's own would be registered with the reactor before it is bound.
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        // On Unix this lets a port be bound whose old connections linger; on Windows it would let two processes share it.
        if cfg!(unix) {
            socket.set_reuse_address(true)?;
        }
        if cfg!(target_os = "linux")
            && let Err(error) = socket.set_tcp_nodelay(true)
        {
            without_nodelay(&error);
        }
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        Self::register(socket.into())
    }

    #[cfg(unix)]
    #[expect(
        deprecated,
        reason = "sound with a socket of std's, which never changes its descriptor; what replaces it is `unsafe`"
    )]
    fn register(socket: TcpListener) -> io::Result<Self> {
        crate::make_room_for_descriptors();
        Registered::with_interest(socket, tokio::io::Interest::READABLE).map(Self)
    }

    #[cfg(not(unix))]
    fn register(socket: TcpListener) -> io::Result<Self> {
        Registered::from_std(socket).map(Self)
    }

    /// The address it is bound to, with the port the system chose for port 0.
    ///
    /// # Errors
    /// The operating system's.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        #[cfg(unix)]
        return self.0.get_ref().local_addr();
        #[cfg(not(unix))]
        return self.0.local_addr();
    }

    /// Waits for the next connection.
    pub(crate) async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        #[cfg(unix)]
        return self.0.async_io(tokio::io::Interest::READABLE, accept).await;
        #[cfg(not(unix))]
        {
            let (stream, peer) = self.0.accept().await?;
            let stream = stream.into_std()?;
            set_nodelay(&stream);
            Ok((stream, peer))
        }
    }

    /// What of it still listens, without the runtime.
    pub(crate) fn into_waiting(self) -> io::Result<Waiting> {
        #[cfg(unix)]
        return Ok(Waiting(self.0.into_inner()));
        #[cfg(not(unix))]
        return self.0.into_std().map(Waiting);
    }
}

/// A listener that nobody waits for any more. Dropping it closes the port.
pub(crate) struct Waiting(TcpListener);

impl Waiting {
    /// The next connection in the kernel's queue; an error of kind `WouldBlock` where there is none. The kernel is asked itself:
    /// what tokio last heard of the socket may be from before those who wait came.
    pub(crate) fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        accept(&self.0)
    }
}

#[cfg(target_os = "linux")]
fn accept(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    use rustix::net::{SocketFlags, acceptfrom_with};
    // It has TCP_NODELAY from the listener.
    let (stream, peer) = acceptfrom_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC)?;
    let peer = peer.ok_or(io::ErrorKind::ConnectionAborted)?;
    Ok((stream.into(), peer.try_into()?))
}

#[cfg(not(target_os = "linux"))]
fn accept(listener: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    let (stream, peer) = listener.accept()?;
    stream.set_nonblocking(true)?;
    set_nodelay(&stream);
    Ok((stream, peer))
}

/// An answer is written whole: waiting for more to send would only delay it. Linux hands the listener's own setting on.
#[cfg(not(target_os = "linux"))]
fn set_nodelay(stream: &TcpStream) {
    if let Err(error) = stream.set_nodelay(true) {
        without_nodelay(&error);
    }
}

fn without_nodelay(error: &io::Error) {
    tracing::debug!(target: "polywire", %error, "can't set TCP_NODELAY");
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn with_runtime<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime can be built")
            .block_on(future)
    }

    fn bound() -> (Listener, SocketAddr) {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port can be bound");
        let address = listener.local_addr().expect("a bound socket has an address");
        (listener, address)
    }

    #[test]
    fn what_is_accepted_is_sent_without_delay_and_never_blocks() {
        let check = |(stream, peer): (TcpStream, SocketAddr), client: &TcpStream| {
            assert!(stream.nodelay().expect("the option can be read"));
            assert_eq!(peer, client.local_addr().expect("a connected socket has an address"));
            let read = io::Read::read(&mut &stream, &mut [0]).expect_err("nothing was sent");
            assert_eq!(read.kind(), io::ErrorKind::WouldBlock);
            #[cfg(unix)]
            assert!(
                rustix::io::fcntl_getfd(&stream)
                    .expect("the flags can be read")
                    .contains(rustix::io::FdFlags::CLOEXEC)
            );
        };
        with_runtime(async {
            let (listener, address) = bound();
            let client = TcpStream::connect(address).expect("it listens");
            check(listener.accept().await.expect("one waits"), &client);

            let client = TcpStream::connect(address).expect("it listens");
            let waiting = listener.into_waiting().expect("it can be taken from the runtime");
            check(waiting.accept().expect("one waits"), &client);
            let error = waiting.accept().expect_err("no other waits");
            assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        });
    }

    #[test]
    fn what_is_accepted_can_be_served_by_another_runtime() {
        use tokio::io::AsyncReadExt as _;
        let (stream, client) = with_runtime(async {
            let (listener, address) = bound();
            let client = TcpStream::connect(address).expect("it listens");
            (listener.accept().await.expect("one waits").0, client)
        });
        // The acceptor's runtime is gone; a socket of its own would be dead.
        io::Write::write_all(&mut &client, b"x").expect("there is room");
        let read = with_runtime(async {
            let mut stream = tokio::net::TcpStream::from_std(stream).expect("it can be registered");
            stream.read_u8().await.expect("a byte was sent")
        });
        assert_eq!(read, b'x');
    }

    #[test]
    fn a_port_is_bound_once_and_free_again_at_once() {
        with_runtime(async {
            let (listener, address) = bound();
            let second = Listener::bind(address).expect_err("the first listens");
            assert_eq!(second.kind(), io::ErrorKind::AddrInUse);
            // A connection that the server closes lingers in the kernel.
            let client = TcpStream::connect(address).expect("it listens");
            drop(listener.accept().await.expect("one waits"));
            drop((listener, client));
            Listener::bind(address).expect("the port is free");
        });
    }
}
