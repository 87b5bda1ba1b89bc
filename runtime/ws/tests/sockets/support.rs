//! An exchange of no transport, a socket over a pipe, and a client that writes its frames by hand.

use std::net::SocketAddr;
use std::time::Instant;

use bytes::Bytes;
use pw_core::{
    Body, Exchange, HeadBuffer, Problem, Reply, Span, Stopping, Upgradable, Upgrade, UpgradeTask, Upgraded, Version,
};
use pw_ws::{Incoming, Options, Outgoing, WebSocket};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;

/// The fields of a handshake that is as it should be.
pub(crate) const HANDSHAKE: [(&str, &str); 4] = [
    ("upgrade", "websocket"),
    ("connection", "Upgrade"),
    ("sec-websocket-version", "13"),
    ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

pub(crate) const MASK: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

#[derive(Default)]
pub(crate) struct Empty;

impl Body for Empty {
    async fn read(&mut self, _: usize) -> Result<&[u8], Problem> {
        Ok(&[])
    }

    async fn chunk(&mut self) -> Result<Option<&[u8]>, Problem> {
        Ok(None)
    }
}

impl Upgradable for Empty {}

#[derive(Default)]
pub(crate) struct Cx {
    body: Empty,
    pub(crate) reply: Reply,
}

impl Exchange for Cx {
    type Head = HeadBuffer;
    type Body = Empty;

    fn split(&mut self) -> (&mut Empty, &mut Reply) {
        (&mut self.body, &mut self.reply)
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }
}

impl Upgrade for Cx {}

pub(crate) fn head(version: Version, method: &str, fields: &[(&str, &str)]) -> HeadBuffer {
    let mut head = HeadBuffer::default();
    head.clear();
    let line = format!("{method} /ws");
    let at = method.len();
    head.start(
        version,
        &line,
        Span::new(0, at),
        Span::new(at + 1, at + 4),
        Span::new(at + 4, at + 4),
    );
    for (name, value) in fields {
        head.push_field(name, value.as_bytes());
    }
    head.push_host("localhost:8080");
    head
}

/// A socket's client.
pub(crate) struct Client {
    pub(crate) stream: DuplexStream,
    pub(crate) stopping: Stopping,
    pub(crate) task: JoinHandle<()>,
}

/// Opens a socket, with room for so many bytes each way.
pub(crate) fn open_with<In, Out, F, H>(options: Options, room: usize, ahead: &[u8], handler: F) -> Client
where
    In: Incoming + 'static,
    Out: Outgoing + 'static,
    F: FnOnce(WebSocket<In, Out>) -> H + Send + 'static,
    H: Future<Output = Result<(), Problem>> + Send + 'static,
{
    let task = task_of(options, handler);
    let (stream, server) = tokio::io::duplex(room);
    let stopping = Stopping::default();
    let peer = SocketAddr::from(([127, 0, 0, 1], 1));
    let upgraded = Upgraded::new(server, Bytes::copy_from_slice(ahead), peer, stopping.clone());
    let task = tokio::spawn(task.run(upgraded));
    Client { stream, stopping, task }
}

/// What is to run on a connection that asked for a socket.
pub(crate) fn task_of<In, Out, F, H>(options: Options, handler: F) -> UpgradeTask
where
    In: Incoming + 'static,
    Out: Outgoing + 'static,
    F: FnOnce(WebSocket<In, Out>) -> H + Send + 'static,
    H: Future<Output = Result<(), Problem>> + Send + 'static,
{
    let head = head(Version::Http11, "GET", &HANDSHAKE);
    let mut cx = Cx::default();
    options
        .accept(&head, &mut cx, handler)
        .expect("the handshake is as it should be");
    cx.reply.take_upgrade().expect("the handshake was accepted")
}

pub(crate) fn open<In, Out, F, H>(options: Options, handler: F) -> Client
where
    In: Incoming + 'static,
    Out: Outgoing + 'static,
    F: FnOnce(WebSocket<In, Out>) -> H + Send + 'static,
    H: Future<Output = Result<(), Problem>> + Send + 'static,
{
    open_with(options, 1 << 16, b"", handler)
}

/// The echo that the corpus asks for.
pub(crate) async fn echo(mut socket: WebSocket) -> Result<(), Problem> {
    while let Some(message) = socket.receive().await? {
        socket.send(&message).await?;
    }
    Ok(())
}

pub(crate) fn echo_client() -> Client {
    open(WebSocket::options(), echo)
}

impl Client {
    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the server reads");
    }

    /// A final frame, masked.
    pub(crate) async fn send(&mut self, opcode: u8, payload: &[u8]) {
        self.write(&frame(0x80 | opcode, payload)).await;
    }

    /// The next frame of the server, which must be final and without a mask; its opcode and payload.
    pub(crate) async fn receive(&mut self) -> (u8, Vec<u8>) {
        self.next().await.expect("the server sends a frame")
    }

    /// The next frame, or the end.
    pub(crate) async fn next(&mut self) -> Option<(u8, Vec<u8>)> {
        let first = self.stream.read_u8().await.ok()?;
        assert_eq!(first & 0xf0, 0x80, "final, nothing reserved");
        let length = match self.stream.read_u8().await.expect("a header is whole") {
            126 => self.stream.read_u16().await.expect("a header is whole").into(),
            127 => self.stream.read_u64().await.expect("a header is whole"),
            length => {
                assert!(length < 126, "no mask");
                length.into()
            }
        };
        let mut payload = vec![0; length as usize];
        self.stream.read_exact(&mut payload).await.expect("a frame is whole");
        Some((first & 0x0f, payload))
    }

    /// The code of the next frame, which must be a close frame. 1005: without a code.
    pub(crate) async fn close_code(&mut self) -> u16 {
        let (opcode, payload) = self.receive().await;
        assert_eq!(opcode, 8, "{payload:?}");
        code_of(&payload)
    }

    /// The server ends its direction, without a frame before.
    pub(crate) async fn end(mut self) {
        assert_eq!(self.next().await, None);
        drop(self.stream);
        self.task.await.expect("the task of the socket ends well");
    }
}

pub(crate) fn code_of(payload: &[u8]) -> u16 {
    match payload.first_chunk() {
        None => 1005,
        Some(code) => {
            std::str::from_utf8(&payload[2..]).expect("reasons are UTF-8");
            u16::from_be_bytes(*code)
        }
    }
}

/// A client's frame with this first byte.
pub(crate) fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match payload.len() {
        length @ ..126 => frame.push(0x80 | length as u8),
        length @ ..0x1_0000 => {
            frame.push(0x80 | 126);
            frame.extend((length as u16).to_be_bytes());
        }
        length => {
            frame.push(0x80 | 127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend(MASK);
    frame.extend(payload.iter().zip(MASK.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}
