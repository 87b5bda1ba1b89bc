//! What becomes of a stream when the server goes down.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use pw_core::{ContentStream, Respond, Stopping};
use pw_streams::{Event, Events, Typed};
use tokio::task::yield_now;

use crate::script::{Script, Step, answer, piece, pieces, ready, script};

/// All formats, with what an endless stream that has given 1 and waits leaves behind it.
const ENDS: [(&str, &str, &str); 3] = [
    ("application/x-ndjson", "1\n", ""),
    ("text/event-stream", "data: 1\n\n", ""),
    ("application/json", "[1", "]"),
];

fn waiting() -> Script<u8> {
    script([Step::Item(1), Step::Hang])
}

fn begun(accept: &str, respond: impl Respond, stopping: &Stopping) -> ContentStream {
    let mut stream = answer(accept, respond).expect("it is accepted").1;
    stream.begin(stopping);
    stream
}

#[tokio::test]
async fn an_endless_stream_ends_cleanly() {
    for (accept, first, end) in ENDS {
        let stopping = Stopping::default();
        let mut stream = begun(accept, Typed::new(waiting()).until_stopping(), &stopping);
        assert_eq!(piece(&mut stream).await.unwrap().unwrap(), first);
        let rest = tokio::spawn(pieces(stream));
        yield_now().await;
        assert!(!rest.is_finished(), "it waits");
        stopping.begin();
        assert_eq!(rest.await.unwrap().concat(), end);
    }
}

#[tokio::test]
async fn a_stream_that_never_waits_ends_too() {
    struct Always;
    impl Stream for Always {
        type Item = u8;
        fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u8>> {
            Poll::Ready(Some(1))
        }
    }
    for (accept, _, end) in ENDS {
        let stopping = Stopping::default();
        let mut stream = begun(accept, Typed::new(Always).until_stopping(), &stopping);
        assert!(piece(&mut stream).await.unwrap().unwrap().len() >= 8 * 1024);
        stopping.begin();
        assert_eq!(pieces(stream).await.concat(), end);
    }
}

#[tokio::test]
async fn events_end_and_lists_do_not() {
    for (accept, first, _) in ENDS {
        let stopping = Stopping::default();
        let steps = script([Step::Item(1), Step::Pend, Step::Item(2), Step::Pend]);
        let mut stream = begun(accept, Typed::new(steps), &stopping);
        assert_eq!(piece(&mut stream).await.unwrap().unwrap(), first);
        stopping.begin();
        let rest = pieces(stream).await.concat();
        assert_eq!(rest.contains('2'), accept != "text/event-stream", "{rest:?}");
    }
    let stopping = Stopping::default();
    let events = Events::new(script([Step::<Event>::Hang]));
    let stream = begun("text/event-stream", events, &stopping);
    stopping.begin();
    assert!(pieces(stream).await.is_empty());
}

#[tokio::test]
async fn events_with_an_end_of_their_own_may_run_to_it() {
    let stopping = Stopping::default();
    stopping.begin();
    let typed = Typed::new(ready([1, 2])).to_its_end();
    let stream = begun("text/event-stream", typed, &stopping);
    assert_eq!(pieces(stream).await, ["data: 1\n\ndata: 2\n\n"]);
    let events = Events::new(ready([Event::new().data("a")])).to_its_end();
    let stream = begun("text/event-stream", events, &stopping);
    assert_eq!(pieces(stream).await, ["data: a\n\n"]);
}
