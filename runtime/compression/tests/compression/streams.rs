//! Streams: what comes alone leaves alone, ends are passed on, and so is the news that the server goes down.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use pw_compression::{Coding, Compression};
use pw_core::{BoxError, Content, ContentSource, ContentStream, FieldValue, Reply, Stopping};

use crate::script::{content, decode, decode_part, field, get, piece};

/// Gives pieces, and pends once before those that say so.
pub(crate) struct Pieces {
    steps: VecDeque<(Bytes, bool)>,
    error: Option<BoxError>,
    trailers: Option<HeaderMap>,
    stopping: Option<Stopping>,
    hangs: bool,
    length: Option<u64>,
}

impl Pieces {
    pub(crate) fn new(steps: VecDeque<(Bytes, bool)>) -> Self {
        Self {
            steps,
            error: None,
            trailers: None,
            stopping: None,
            hangs: false,
            length: None,
        }
    }

    pub(crate) fn answer(self, media_type: &'static str) -> impl FnOnce(&mut Reply) {
        move |reply| {
            reply.insert(CONTENT_TYPE, FieldValue::from_static(media_type));
            reply.set_stream(ContentStream::from_source(self));
        }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some((_, pends)) = self.steps.front_mut()
            && std::mem::take(pends)
        {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        match self.steps.pop_front() {
            Some((piece, _)) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.stopping.as_ref().is_some_and(Stopping::has_begun) => Poll::Ready(None),
            None if self.hangs => Poll::Pending,
            None => match self.error.take() {
                Some(error) => Poll::Ready(Some(Err(error))),
                None => Poll::Ready(self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers)))),
            },
        }
    }

    fn size_hint(&self) -> SizeHint {
        self.length.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl ContentSource for Pieces {
    fn begin(mut self: Pin<&mut Self>, stopping: &Stopping) {
        self.stopping = Some(stopping.clone());
    }
}

fn alone(pieces: &[&'static str]) -> Pieces {
    Pieces::new(pieces.iter().map(|piece| (Bytes::from(*piece), true)).collect())
}

async fn stream(coding: Coding, pieces: Pieces) -> ContentStream {
    let mut reply = get(coding.name(), Compression::new(), pieces.answer("application/x-ndjson")).await;
    assert_eq!(field(&reply, "content-encoding"), Some(coding.name()));
    assert_eq!(reply.length(), None);
    match reply.take() {
        Content::Stream(stream) => stream,
        other => panic!("it is a stream, not {other:?}"),
    }
}

#[tokio::test]
async fn a_piece_that_comes_alone_can_be_read_at_once() {
    for &coding in Coding::ALL {
        let lines = ["{\"number\":1}\n", "{\"number\":2}\n", "{\"number\":3}\n"];
        let mut stream = stream(coding, alone(&lines)).await;
        let (mut sent, mut read) = (Vec::new(), String::new());
        for line in lines {
            sent.extend_from_slice(&piece(&mut stream).await.unwrap().unwrap());
            read.push_str(line);
            // What comes behind the last needs no flush of its own, and leaves with the end.
            if line != lines[2] {
                assert_eq!(decode_part(coding, &sent), read.as_bytes(), "{coding:?}");
            }
        }
        assert_eq!(decode(coding, &sent), read.as_bytes(), "{coding:?}");
        assert!(piece(&mut stream).await.is_none());
    }
}

#[tokio::test]
async fn nothing_leaves_before_there_is_something() {
    for &coding in Coding::ALL {
        let mut hanging = Pieces::new(VecDeque::new());
        hanging.hangs = true;
        let mut stream = stream(coding, hanging).await;
        for _ in 0..3 {
            let frame = Pin::new(&mut stream).poll_frame(&mut Context::from_waker(Waker::noop()));
            assert!(frame.is_pending());
        }
    }
}

#[tokio::test]
async fn an_empty_stream_is_an_empty_answer() {
    for &coding in Coding::ALL {
        let mut reply = get(coding.name(), Compression::new(), alone(&[]).answer("text/plain")).await;
        assert_eq!(decode(coding, &content(&mut reply).await), b"");
    }
}

#[tokio::test]
async fn a_stream_that_breaks_stays_broken() {
    for &coding in Coding::ALL {
        let mut broken = alone(&["a", "b"]);
        broken.error = Some("a secret".into());
        let mut stream = stream(coding, broken).await;
        let mut ends = Vec::new();
        while let Some(piece) = piece(&mut stream).await {
            ends.push(piece.is_ok());
        }
        assert_eq!(ends.last(), Some(&false), "{coding:?}: {ends:?}");
        assert_eq!(ends.iter().filter(|ok| !**ok).count(), 1);
    }
}

#[tokio::test]
async fn a_stream_that_gives_less_or_more_than_it_said_is_broken() {
    for &coding in Coding::ALL {
        for (length, whole) in [(1999, false), (2000, true), (2001, false)] {
            let mut known = Pieces::new([(vec![b'a'; 1000].into(), true), (vec![b'b'; 1000].into(), true)].into());
            known.length = Some(length);
            let mut stream = stream(coding, known).await;
            let mut all = Vec::new();
            let ends_well = loop {
                match piece(&mut stream).await {
                    Some(Ok(piece)) => all.extend_from_slice(&piece),
                    Some(Err(_)) => break false,
                    None => break true,
                }
            };
            assert_eq!(ends_well, whole, "{coding:?}: {length}");
            assert!(!whole || decode(coding, &all).len() == 2000);
        }
    }
}

#[tokio::test]
async fn trailers_come_after_the_end() {
    for &coding in Coding::ALL {
        let mut pieces = alone(&["a"]);
        let trailers = HeaderMap::from_iter([(http::header::ETAG, HeaderValue::from_static("\"x\""))]);
        pieces.trailers = Some(trailers.clone());
        let mut stream = stream(coding, pieces).await;
        let mut all = Vec::new();
        let last = loop {
            let next = std::future::poll_fn(|task| Pin::new(&mut stream).poll_frame(task)).await;
            match next.expect("trailers are still to come").unwrap().into_data() {
                Ok(data) => all.extend_from_slice(&data),
                Err(frame) => break frame.into_trailers().unwrap(),
            }
        };
        assert_eq!(last, trailers);
        assert_eq!(decode(coding, &all), b"a");
        assert!(stream.is_end_stream());
    }
}

#[tokio::test]
async fn the_end_of_the_server_is_passed_on() {
    for &coding in Coding::ALL {
        let mut endless = alone(&["a"]);
        endless.hangs = true;
        let mut stream = stream(coding, endless).await;
        let stopping = Stopping::default();
        stream.begin(&stopping);
        let mut all = piece(&mut stream).await.unwrap().unwrap().to_vec();
        stopping.begin();
        while let Some(piece) = piece(&mut stream).await {
            all.extend_from_slice(&piece.unwrap());
        }
        assert_eq!(decode(coding, &all), b"a");
    }
}

#[tokio::test]
async fn events_are_compressed_when_asked() {
    let events = || alone(&["data: 1\n\n"]).answer("text/event-stream");
    let reply = get("gzip", Compression::new(), events()).await;
    assert_eq!((field(&reply, "content-encoding"), field(&reply, "vary")), (None, None));
    let mut reply = get("gzip", Compression::new().with_events(), events()).await;
    assert_eq!(field(&reply, "content-encoding"), Some("gzip"));
    assert_eq!(decode(Coding::Gzip, &content(&mut reply).await), b"data: 1\n\n");
}
