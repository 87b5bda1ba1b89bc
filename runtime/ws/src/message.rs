//! What is sent and received: raw messages, and types that are made of them.

use std::borrow::Cow;

use bytes::Bytes;
use pw_core::BoxError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::CloseCode;

/// A message as it is: `WebSocket<Message, Message>`, or `WebSocket` for short, is the raw socket.
///
/// To send one to many, make it once, keep it in an [`Arc`](std::sync::Arc), and send it by reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Text; it was found to be UTF-8.
    Text(String),
    /// Bytes.
    Binary(Bytes),
}

impl Message {
    /// A value as JSON text.
    ///
    /// # Errors
    /// The value can't be written as JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(Self::Text)
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Bytes> for Message {
    fn from(bytes: Bytes) -> Self {
        Self::Binary(bytes)
    }
}

impl From<Vec<u8>> for Message {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Binary(bytes.into())
    }
}

/// A message that is not what the handler takes.
#[derive(Debug)]
pub struct Unfit {
    /// What the connection is closed with.
    pub code: CloseCode,
    /// Why, for the log.
    pub cause: BoxError,
}

/// What a message can be made into: [`Message`] itself, and from JSON text whatever implements `Deserialize`. A binary message
/// where JSON is spoken closes with 1003, a text that is no `Self` with 1007.
///
/// Another format is a type of its own that does not implement `Deserialize`:
///
/// ```
/// use pw_ws::{CloseCode, Incoming, Message, Unfit};
/// struct Sample(f32);
/// impl Incoming for Sample {
///     fn from_message(message: Message) -> Result<Self, Unfit> {
///         let Message::Binary(bytes) = message else {
///             return Err(Unfit { code: CloseCode::UNSUPPORTED, cause: "text".into() });
///         };
///         let bytes = <[u8; 4]>::try_from(&bytes[..])
///             .map_err(|cause| Unfit { code: CloseCode::INVALID, cause: cause.into() })?;
///         Ok(Self(f32::from_be_bytes(bytes)))
///     }
/// }
/// ```
///
/// Wrong: `WebSocket<String, String>` for plain text. It takes JSON texts that hold a string, `"so"`; plain text is [`Message::Text`].
pub trait Incoming: Sized {
    /// Makes it.
    ///
    /// # Errors
    /// The message is something else; the connection is closed.
    fn from_message(message: Message) -> Result<Self, Unfit>;
}

impl Incoming for Message {
    fn from_message(message: Message) -> Result<Self, Unfit> {
        Ok(message)
    }
}

impl<T: DeserializeOwned> Incoming for T {
    fn from_message(message: Message) -> Result<Self, Unfit> {
        match message {
            Message::Text(text) => serde_json::from_str(&text).map_err(|cause| Unfit {
                code: CloseCode::INVALID,
                cause: cause.into(),
            }),
            Message::Binary(_) => Err(Unfit {
                code: CloseCode::UNSUPPORTED,
                cause: "a binary message where JSON text is spoken".into(),
            }),
        }
    }
}

/// The payload of a message to be sent, and which kind it is.
#[derive(Debug)]
pub enum Payload<'m> {
    /// Text.
    Text(Cow<'m, str>),
    /// Bytes.
    Binary(Cow<'m, [u8]>),
}

/// What can be sent: [`Message`] itself, and as JSON text whatever implements `Serialize`.
pub trait Outgoing {
    /// The message.
    ///
    /// # Errors
    /// It can't be written; nothing is sent.
    fn to_payload(&self) -> Result<Payload<'_>, BoxError>;
}

impl Outgoing for Message {
    fn to_payload(&self) -> Result<Payload<'_>, BoxError> {
        Ok(match self {
            Self::Text(text) => Payload::Text(text.into()),
            Self::Binary(bytes) => Payload::Binary(bytes[..].into()),
        })
    }
}

impl<T: Serialize> Outgoing for T {
    fn to_payload(&self) -> Result<Payload<'_>, BoxError> {
        Ok(Payload::Text(serde_json::to_string(self)?.into()))
    }
}
