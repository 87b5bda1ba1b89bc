//! What an open stream costs of memory. What `zstd` takes is C's, and not counted here.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use allocation_counter::measure;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http_body::{Body as _, Frame};
use pw_compression::{Coding, Compression};
use pw_core::{Body, BoxError, Content, ContentStream, FieldValue, HeadBuffer, Middleware, Next, Parts, Problem};

struct Nothing;

impl Body for Nothing {
    async fn read(&mut self, _: usize) -> Result<&[u8], Problem> {
        Ok(&[])
    }

    async fn chunk(&mut self) -> Result<Option<&[u8]>, Problem> {
        Ok(None)
    }
}

/// Gives so many pieces, then waits for ever.
struct Lines(u32);

impl http_body::Body for Lines {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(left) = self.0.checked_sub(1) else {
            return Poll::Pending;
        };
        self.0 = left;
        let lines = (0..1000).map(|n: u32| format!("{}\n", (n ^ left).wrapping_mul(2_654_435_761)));
        Poll::Ready(Some(Ok(Frame::data(lines.collect::<String>().into()))))
    }
}

impl Next<Parts<Nothing>> for Lines {
    async fn run(self, _: &HeadBuffer, cx: &mut Parts<Nothing>) -> Result<(), Problem> {
        cx.reply.insert(CONTENT_TYPE, FieldValue::from_static("text/plain"));
        cx.reply.set_stream(ContentStream::new(self));
        Ok(())
    }
}

/// How many KiB it holds once it has sent so much and waits.
async fn held(coding: Coding, pieces: u32) -> u64 {
    let (mut head, mut parts) = (HeadBuffer::default(), Parts::new(Nothing));
    head.push_field("accept-encoding", coding.name().as_bytes());
    let answered = Compression::new().around(&head, &mut parts, Lines(pieces)).await;
    answered.expect("it is an answer");
    let Content::Stream(mut stream) = parts.reply.take() else {
        panic!("it is a stream")
    };
    let cost = measure(|| {
        let mut task = Context::from_waker(Waker::noop());
        // Pending lets others have their turn; twice in a row there is nothing more.
        let mut pending = 0;
        while pending < 2 {
            match Pin::new(&mut stream).poll_frame(&mut task) {
                Poll::Ready(_) => pending = 0,
                Poll::Pending => pending += 1,
            }
        }
    });
    u64::try_from(cost.bytes_current).expect("it holds something") / 1024
}

#[tokio::test]
async fn an_open_stream_has_a_bound() {
    for (coding, few, many) in [(Coding::Gzip, 448, 448), (Coding::Br, 448, 1280)] {
        let (least, most) = (held(coding, 1).await, held(coding, 300).await);
        assert!(least <= few && most <= many, "{coding:?}: {least} to {most} KiB");
    }
}
