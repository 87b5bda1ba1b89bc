//! Requests, handlers, and what a client makes of an answer.

use std::future::poll_fn;
use std::io::{Read, Write};
use std::pin::Pin;

use bytes::Bytes;
use http::HeaderName;
use http::header::CONTENT_TYPE;
use http_body::Body as _;
use pw_compression::Coding;
use pw_core::{
    Body, Content, ContentStream, FieldValue, HeadBuffer, Middleware, Next, Parts, Problem, Reply, Span, Version,
};

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

struct Handler<F>(F);

impl<F: FnOnce(&mut Reply)> Next<Parts<Empty>> for Handler<F> {
    async fn run(self, _: &HeadBuffer, cx: &mut Parts<Empty>) -> Result<(), Problem> {
        (self.0)(&mut cx.reply);
        Ok(())
    }
}

/// What a middleware makes of a handler's answer, for a client that sends these fields.
pub(crate) async fn request(
    method: &str,
    fields: &[(&str, &str)],
    middleware: impl Middleware,
    handler: impl FnOnce(&mut Reply),
) -> Reply {
    let (mut head, mut parts) = (HeadBuffer::default(), Parts::new(Empty));
    let line = format!("{method}/");
    let (method, path) = (Span::new(0, method.len()), Span::new(method.len(), line.len()));
    head.start(Version::Http11, &line, method, path, Span::default());
    for (name, value) in fields {
        head.push_field(name, value.as_bytes());
    }
    let outcome = middleware.around(&head, &mut parts, Handler(handler)).await;
    outcome.expect("the handler answers");
    parts.reply
}

/// GET, by a client that accepts this.
pub(crate) async fn get(accept: &str, middleware: impl Middleware, handler: impl FnOnce(&mut Reply)) -> Reply {
    request("GET", &[("Accept-Encoding", accept)], middleware, handler).await
}

pub(crate) fn set(reply: &mut Reply, name: &'static str, value: &str) {
    let value = FieldValue::new(value).expect("it is a value");
    reply.append(HeaderName::from_static(name), value);
}

/// An answer of text.
pub(crate) fn text(content: impl Into<Bytes>) -> impl FnOnce(&mut Reply) {
    let content = content.into();
    |reply| {
        reply.insert(CONTENT_TYPE, FieldValue::from_static("text/plain; charset=utf-8"));
        reply.set_content(content);
    }
}

pub(crate) fn field<'r>(reply: &'r Reply, name: &'static str) -> Option<&'r str> {
    let value = reply.field(&HeaderName::from_static(name))?;
    Some(std::str::from_utf8(value).expect("these are ASCII"))
}

/// Text that is not the same all over.
pub(crate) fn prose(length: usize) -> Vec<u8> {
    let lines = (0..).flat_map(|n: u32| format!("{}. line, of {}\n", n, n.wrapping_mul(2_654_435_761)).into_bytes());
    lines.take(length).collect()
}

/// The next piece of a stream.
pub(crate) async fn piece(stream: &mut ContentStream) -> Option<Result<Bytes, String>> {
    let frame = poll_fn(|task| Pin::new(&mut *stream).poll_frame(task)).await?;
    Some(match frame {
        Ok(frame) => Ok(frame.into_data().expect("there are no trailers")),
        Err(error) => Err(error.to_string()),
    })
}

/// The content, as it leaves.
pub(crate) async fn content(reply: &mut Reply) -> Vec<u8> {
    match reply.take() {
        Content::Bytes(bytes) => bytes.to_vec(),
        Content::Stream(mut stream) => {
            let mut content = Vec::new();
            while let Some(piece) = piece(&mut stream).await {
                content.extend_from_slice(&piece.expect("nothing fails"));
            }
            assert!(stream.is_end_stream());
            content
        }
        Content::File(_) => panic!("a file is left as it is"),
    }
}

/// All of it, as a client decodes it.
pub(crate) fn decode(coding: Coding, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match coding {
        #[cfg(feature = "zstd")]
        Coding::Zstd => out = zstd::stream::decode_all(content).expect("it is zstd"),
        Coding::Br => {
            let mut decoder = brotli::Decompressor::new(content, 4096);
            decoder.read_to_end(&mut out).expect("it is br");
        }
        Coding::Gzip => {
            let mut decoder = flate2::read::GzDecoder::new(content);
            decoder.read_to_end(&mut out).expect("it is gzip");
        }
    }
    out
}

/// What a client can read of the beginning of an answer.
pub(crate) fn decode_part(coding: Coding, content: &[u8]) -> Vec<u8> {
    match coding {
        #[cfg(feature = "zstd")]
        Coding::Zstd => {
            let mut decoder = zstd::stream::write::Decoder::new(Vec::new()).expect("there is memory");
            decoder
                .write_all(content)
                .and_then(|()| decoder.flush())
                .expect("it is zstd");
            std::mem::take(decoder.get_mut())
        }
        Coding::Br => {
            let mut decoder = brotli::DecompressorWriter::new(Vec::new(), 4096);
            decoder
                .write_all(content)
                .and_then(|()| decoder.flush())
                .expect("it is br");
            std::mem::take(decoder.get_mut())
        }
        Coding::Gzip => {
            let mut decoder = flate2::write::GzDecoder::new(Vec::new());
            decoder
                .write_all(content)
                .and_then(|()| decoder.flush())
                .expect("it is gzip");
            std::mem::take(decoder.get_mut())
        }
    }
}
