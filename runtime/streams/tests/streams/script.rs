//! Streams that do as they are told, and what a transport would send of an answer.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use http::HeaderName;
use http_body::Body;
use pw_core::{Content, ContentStream, HeadBuffer, Problem, Reply, Respond};

/// What a stream does next.
pub(crate) enum Step<T> {
    Item(T),
    /// Nothing, for now.
    Pend,
    /// Nothing, for ever.
    Hang,
}

/// A stream of steps, and then its end.
pub(crate) struct Script<T>(VecDeque<Step<T>>);

impl<T> Unpin for Script<T> {}

pub(crate) fn script<T, const N: usize>(steps: [Step<T>; N]) -> Script<T> {
    Script(steps.into())
}

/// All ready at once.
pub(crate) fn ready<T>(items: impl IntoIterator<Item = T>) -> Script<T> {
    Script(items.into_iter().map(Step::Item).collect())
}

impl<T> Stream for Script<T> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<T>> {
        match self.0.front() {
            None => Poll::Ready(None),
            Some(Step::Hang) => Poll::Pending,
            Some(Step::Pend) => {
                self.0.pop_front();
                task.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Step::Item(_)) => match self.0.pop_front() {
                Some(Step::Item(item)) => Poll::Ready(Some(item)),
                _ => unreachable!("it was looked at"),
            },
        }
    }
}

/// A head with these `Accept` lines.
pub(crate) fn head(accept: &[&str]) -> HeadBuffer {
    let mut head = HeadBuffer::default();
    for line in accept {
        head.push_field("Accept", line.as_bytes());
    }
    head
}

/// The answer to a client with this `Accept`.
pub(crate) fn answer(accept: &str, answer: impl Respond) -> Result<(Reply, ContentStream), Problem> {
    let mut reply = Reply::default();
    answer.respond_to(&head(&[accept]), &mut reply)?;
    let Content::Stream(stream) = reply.take() else {
        panic!("the answer is a stream");
    };
    Ok((reply, stream))
}

pub(crate) fn field<'r>(reply: &'r Reply, name: &'static str) -> Option<&'r str> {
    let value = reply.field(&HeaderName::from_static(name))?;
    Some(std::str::from_utf8(value).expect("these are ASCII"))
}

/// The next piece; `Err` holds an error's text.
pub(crate) async fn piece(stream: &mut ContentStream) -> Option<Result<String, String>> {
    let frame = poll_fn(|task| Pin::new(&mut *stream).poll_frame(task)).await?;
    Some(match frame {
        Ok(frame) => {
            let data = frame.into_data().expect("there are no trailers");
            Ok(String::from_utf8(data.to_vec()).expect("it is text"))
        }
        Err(error) => Err(error.to_string()),
    })
}

/// All pieces, to the end; an error stands as `!` and its text.
pub(crate) async fn pieces(mut stream: ContentStream) -> Vec<String> {
    let mut pieces = Vec::new();
    while let Some(piece) = piece(&mut stream).await {
        pieces.push(piece.unwrap_or_else(|error| format!("!{error}")));
    }
    assert!(stream.is_end_stream(), "it knows that it has ended");
    pieces
}
