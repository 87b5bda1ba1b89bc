//! The probe's routes whose bodies are not buffers, `/static`, `/ws`, `/events`, `/download` and `/upload`, and `/count`, a stream of
//! values in the form that a client asks for. What the corpus and the parity tests say of them; what streams may do wrong is `flow.rs`.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::LazyLock;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use http_body::{Body, Frame, SizeHint};
use pw_core::{Body as _, ContentStream, Exchange, Json, Path, Problem, Respond, Upgrade, codegen};
use pw_files::Files;
use pw_streams::{Event, Events, Typed};
use pw_ws::WebSocket;
use serde::Serialize;

use crate::flow::content;

/// The folder that the corpus relies on.
pub const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/cases/files/root");
/// From one event to the next. That of the probe is a second.
const TICK: Duration = Duration::from_millis(200);
/// Bytes of a download that leave at once.
const PIECE: usize = 64 << 10;

/// A file.
pub fn file<E: Exchange>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    static FILES: LazyLock<Files> = LazyLock::new(|| Files::at(FOLDER).expect("the folder comes with this crate"));
    let Path(path): Path<&str> = codegen::head(head)?;
    FILES.find(head, path)?.respond_to(head, cx.reply())
}

/// Every message, sent back.
pub fn echo<E: Upgrade>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    WebSocket::options().accept(head, cx, async |mut socket: WebSocket| {
        while let Some(message) = socket.receive().await? {
            socket.send(&message).await?;
        }
        Ok(())
    })
}

/// An event now and then, without an end.
pub fn events<E: Exchange>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let ticks = Ticks {
        interval: tokio::time::interval(TICK),
        number: 0,
    };
    Events::new(ticks).respond_to(head, cx.reply())
}

/// Values from 1 on, as many as asked for.
pub fn count<E: Exchange>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let Path(last): Path<u64> = codegen::head(head)?;
    let count = Count { next: 1, last };
    let typed = Typed::new(count).events(|value, event| event.id(value.number).name("counted"));
    typed.respond_to(head, cx.reply())
}

/// As many bytes as asked for.
pub fn download<E: Exchange>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let Path(left): Path<u64> = codegen::head(head)?;
    ContentStream::new(Download { left }).respond_to(head, cx.reply())
}

/// How long the body was, of which nothing is kept.
pub async fn upload<E: Exchange>(cx: &mut E) -> Result<(), Problem> {
    let mut bytes = 0;
    while let Some(piece) = cx.body().chunk().await? {
        bytes += piece.len() as u64;
    }
    Json(Uploaded { bytes }).respond(cx.reply())
}

#[derive(Serialize)]
struct Uploaded {
    bytes: u64,
}

struct Ticks {
    interval: tokio::time::Interval,
    number: u64,
}

impl Stream for Ticks {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Event>> {
        ready!(self.interval.poll_tick(task));
        self.number += 1;
        let event = Event::new().id(self.number).name("tick").data(self.number.to_string());
        Poll::Ready(Some(event))
    }
}

#[derive(Serialize)]
struct Counted {
    number: u64,
}

/// All ready at once.
struct Count {
    next: u64,
    last: u64,
}

impl Stream for Count {
    type Item = Counted;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Counted>> {
        let number = self.next;
        self.next += 1;
        Poll::Ready((number <= self.last).then_some(Counted { number }))
    }
}

struct Download {
    left: u64,
}

impl Body for Download {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| content(PIECE));
        let length = self.left.min(PIECE as u64);
        self.left -= length;
        let piece = Bytes::from_static(&CONTENT[..length as usize]);
        Poll::Ready((length > 0).then(|| Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
