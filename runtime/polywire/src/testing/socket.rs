//! `Socket`: a WebSocket's client.
//!
//! The protocol is tungstenite's; bytes are moved between it and the pipe here.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::panic::Location;
use std::pin::Pin;
use std::task::Poll;

use pw_ws::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tungstenite::protocol::{CloseFrame, Role};
use tungstenite::{Error, WebSocket};

use super::{Answer, TestApp};

/// The key of each handshake, and the answer to it (RFC 6455 1.3).
pub(super) const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";
pub(super) const ACCEPT: &str = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

/// An open WebSocket.
///
/// ```no_run
/// # use polywire::testing::{Nothing as Routes, TestApp, json};
/// # let app = TestApp::new(Routes::new());
/// let mut socket = app.socket("/sums");
/// socket.send_json(&json!({"a": 20, "b": 22}));
/// assert_eq!(socket.receive_json::<polywire::testing::Value>(), json!({"sum": 42}));
/// socket.close(1000);
/// assert_eq!(socket.closed(), 1000);
/// ```
///
/// Whatever is asked of it waits, in an async test too: the application has threads of its own. Pings are answered while it waits.
/// Dropped before it was closed, it is a client that goes without a word.
pub struct Socket<'a> {
    app: &'a TestApp,
    answer: Answer,
    title: String,
    place: &'static Location<'static>,
    /// `None` once it has failed.
    client: Option<Client>,
    /// What the server closed it with.
    closed: Option<u16>,
}

impl<'a> Socket<'a> {
    pub(super) fn new(
        app: &'a TestApp,
        answer: Answer,
        (io, ahead): (DuplexStream, Vec<u8>),
        title: String,
        place: &'static Location<'static>,
    ) -> Self {
        let between = Between {
            input: ahead,
            ..Between::default()
        };
        let client = Client {
            io,
            socket: WebSocket::from_raw_socket(between, Role::Client, None),
        };
        Self {
            app,
            answer,
            title,
            place,
            client: Some(client),
            closed: None,
        }
    }

    /// The answer to the handshake: `socket.answer().header("sec-websocket-protocol")`.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Sends a message: text is that of a `&str` or `String`, and bytes are binary.
    ///
    /// # Panics
    /// The socket is closed; or the server takes nothing for 30 seconds.
    #[track_caller]
    pub fn send(&mut self, message: impl Into<Message>) {
        let message = match message.into() {
            Message::Text(text) => tungstenite::Message::text(text),
            Message::Binary(bytes) => tungstenite::Message::Binary(bytes),
        };
        let mut client = self.client();
        let (sent, client) = self.wait(async move { (client.send(message).await, client) });
        self.client = Some(client);
        if let Err(error) = sent {
            self.fail(format_args!("nothing can be sent: {error}"));
        }
    }

    /// Sends a value as JSON text.
    ///
    /// # Panics
    /// The value can't be written as JSON; or as for [`send`](Self::send).
    #[track_caller]
    pub fn send_json(&mut self, value: &(impl Serialize + ?Sized)) {
        match Message::json(value) {
            Ok(message) => self.send(message),
            Err(error) => panic!("this can't be JSON: {error}"),
        }
    }

    /// The next message. `None`: the socket is closed, and [`closed`](Self::closed) says how.
    ///
    /// # Panics
    /// There is none within 30 seconds, or what comes is no WebSocket.
    #[track_caller]
    pub fn receive(&mut self) -> Option<Message> {
        if self.closed.is_some() {
            return None;
        }
        let mut client = self.client();
        let (received, client) = self.wait(async move { (client.receive().await, client) });
        self.client = Some(client);
        match received {
            Ok(tungstenite::Message::Text(text)) => Some(Message::Text(text.to_string())),
            Ok(tungstenite::Message::Binary(bytes)) => Some(Message::Binary(bytes)),
            Ok(tungstenite::Message::Close(frame)) => {
                self.closed = Some(frame.map_or(1005, |frame| frame.code.into()));
                None
            }
            Err(error) if is_lost(&error) => {
                self.closed = Some(1006);
                None
            }
            Ok(other) => self.fail(format_args!("{other:?} is no message")),
            Err(error) => self.fail(error),
        }
    }

    /// The text of the next message.
    ///
    /// # Panics
    /// It is binary, or the socket is closed; or as for [`receive`](Self::receive).
    #[track_caller]
    pub fn receive_text(&mut self) -> String {
        match self.receive() {
            Some(Message::Text(text)) => text,
            Some(Message::Binary(bytes)) => self.fail(format_args!(
                "a binary message where text should be: {}",
                bytes.escape_ascii()
            )),
            None => self.fail(format_args!("closed with {:?}", self.closed)),
        }
    }

    /// The next message, read as JSON.
    ///
    /// # Panics
    /// It is not the JSON of a `T`; or as for [`receive_text`](Self::receive_text).
    #[track_caller]
    pub fn receive_json<T: DeserializeOwned>(&mut self) -> T {
        let text = self.receive_text();
        match serde_json::from_str(&text) {
            Ok(value) => value,
            Err(error) => self.fail(format_args!(
                "{text:?} is not the JSON of a `{}`: {error}",
                std::any::type_name::<T>()
            )),
        }
    }

    /// Closes the socket, with 1000 or another code. What the server has sent before can still be received, and
    /// [`closed`](Self::closed) waits for its answer.
    ///
    /// # Panics
    /// The server takes nothing for 30 seconds.
    #[track_caller]
    pub fn close(&mut self, code: u16) {
        let frame = CloseFrame {
            code: code.into(),
            reason: "".into(),
        };
        let mut client = self.client();
        let ((), client) = self.wait(async move { (client.close(frame).await, client) });
        self.client = Some(client);
    }

    /// Waits until the server closes the socket, throws away what it sends before, and says with which code it does. 1005: without
    /// one. 1006: the connection ended without a close frame.
    ///
    /// # Panics
    /// As for [`receive`](Self::receive).
    #[track_caller]
    pub fn closed(&mut self) -> u16 {
        loop {
            if let Some(code) = self.closed {
                return code;
            }
            self.receive();
        }
    }

    #[track_caller]
    fn client(&mut self) -> Client {
        match self.client.take() {
            Some(client) => client,
            None => self.fail("it has failed before"),
        }
    }

    #[track_caller]
    fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T {
        match self.app.wait(future) {
            Ok(done) => done,
            Err(patience) => self.fail(format_args!("nothing came, or was taken, within {patience:?}")),
        }
    }

    #[track_caller]
    fn fail(&self, why: impl fmt::Display) -> ! {
        panic!("{} (made at {}): {why}", self.title, self.place)
    }
}

impl fmt::Debug for Socket<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Socket")
            .field("request", &self.title)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

/// The protocol, and the pipe.
struct Client {
    io: DuplexStream,
    socket: WebSocket<Between>,
}

impl Client {
    async fn send(&mut self, message: tungstenite::Message) -> Result<(), Error> {
        self.socket.send(message)?;
        self.move_bytes(false).await;
        Ok(())
    }

    /// The next message, or the server's close frame.
    async fn receive(&mut self) -> Result<tungstenite::Message, Error> {
        loop {
            let read = self.socket.read();
            // Pongs, and the answer to a close frame. That nothing can be sent is no news here.
            let _ = self.socket.flush();
            match read {
                Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => self.move_bytes(true).await,
                Ok(tungstenite::Message::Ping(_) | tungstenite::Message::Pong(_)) => {}
                read => {
                    self.move_bytes(false).await;
                    return read;
                }
            }
        }
    }

    async fn close(&mut self, frame: CloseFrame) {
        // Where the server was first, there is nothing to do.
        let _ = self.socket.close(Some(frame));
        self.move_bytes(false).await;
    }

    /// Until all is sent and, if more is wanted, something has come. What comes while the server takes nothing is read, too: it may wait for
    /// that.
    async fn move_bytes(&mut self, mut wanted: bool) {
        let (io, between) = (&mut self.io, self.socket.get_mut());
        poll_fn(|task| {
            while !between.output.is_empty() {
                match Pin::new(&mut *io).poll_write(task, &between.output) {
                    Poll::Ready(Ok(count)) => drop(between.output.drain(..count)),
                    // Nobody reads it any more.
                    Poll::Ready(Err(_)) => between.output.clear(),
                    Poll::Pending => break,
                }
            }
            while !between.ended {
                let mut room = [0; 4096];
                let mut room = ReadBuf::new(&mut room);
                match Pin::new(&mut *io).poll_read(task, &mut room) {
                    Poll::Pending => break,
                    Poll::Ready(read) => {
                        wanted = false;
                        between.ended = read.is_err() || room.filled().is_empty();
                        between.input.extend_from_slice(room.filled());
                    }
                }
            }
            if between.output.is_empty() && (!wanted || between.ended) {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await;
    }
}

/// What stands between the two: a stream that never waits.
#[derive(Default)]
struct Between {
    input: Vec<u8>,
    ended: bool,
    output: Vec<u8>,
}

impl Read for Between {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        if self.input.is_empty() && !self.ended {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = room.len().min(self.input.len());
        room[..count].copy_from_slice(&self.input[..count]);
        self.input.drain(..count);
        Ok(count)
    }
}

impl Write for Between {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.output.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the connection has ended without a close frame.
fn is_lost(error: &Error) -> bool {
    use tungstenite::error::ProtocolError;
    matches!(
        error,
        Error::ConnectionClosed | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)
    )
}
