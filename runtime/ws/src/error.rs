//! What can end a WebSocket, or keep a message from being sent.

use std::error::Error as StdError;
use std::fmt;

use pw_core::BoxError;

/// Why nothing comes, or nothing can be sent, any more. A handler passes it on with `?`: what a client did is then no error of the
/// server's, and is told in the log at `debug`.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    cause: Option<BoxError>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The socket was closed, by either side or because the server goes down; only sending fails so.
    Closed,
    /// The connection broke, or the client left without a close frame.
    Lost,
    /// The client broke the protocol, or sent more than the limit.
    Violation,
    /// The client sent a message that is not of the type the handler takes.
    Unfit,
    /// Nothing came from the client for too long, no answer to a ping either.
    Idle,
    /// The client did not take what was sent to it.
    Slow,
    /// What was to be sent can't be written as a message. The socket goes on.
    Unwritable,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self { kind, cause: None }
    }

    pub(crate) fn caused(kind: ErrorKind, cause: BoxError) -> Self {
        Self {
            kind,
            cause: Some(cause),
        }
    }

    /// Which it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            ErrorKind::Closed => "the WebSocket is closed",
            ErrorKind::Lost => "the WebSocket's connection is lost",
            ErrorKind::Violation => "the client broke the rules of WebSocket",
            ErrorKind::Unfit => "the client's message is not what the handler takes",
            ErrorKind::Idle => "nothing came from the WebSocket's client",
            ErrorKind::Slow => "the WebSocket's client does not take what is sent",
            ErrorKind::Unwritable => "the message can't be written",
        })
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}
