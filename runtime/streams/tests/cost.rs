//! What a client costs: of memory while it listens, and for an event that ten thousand get.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use allocation_counter::measure;
use http_body::Body;
use pw_core::{Content, ContentStream, Reply, Respond, Stopping};
use pw_streams::{Broadcast, Event, Events, Rendered};

fn listen(broadcast: &Broadcast<Rendered>, stopping: &Stopping) -> ContentStream {
    let mut reply = Reply::default();
    Events::new(broadcast.subscribe())
        .respond(&mut reply)
        .expect("it is an answer");
    let Content::Stream(mut stream) = reply.take() else {
        panic!("it is a stream")
    };
    stream.begin(stopping);
    stream
}

fn poll(stream: &mut ContentStream) -> Option<usize> {
    match Pin::new(stream).poll_frame(&mut Context::from_waker(Waker::noop())) {
        Poll::Pending => None,
        Poll::Ready(frame) => Some(frame?.ok()?.data_ref()?.len()),
    }
}

#[tokio::test]
async fn a_client_that_listens_is_one_small_allocation() {
    let (broadcast, stopping) = (Broadcast::new(8), Stopping::default());
    let mut clients: Vec<ContentStream> = Vec::with_capacity(100);
    let cost = measure(|| {
        for _ in 0..100 {
            let mut client = listen(&broadcast, &stopping);
            assert_eq!(poll(&mut client), None);
            clients.push(client);
        }
    });
    let each = cost.bytes_current / 100;
    assert!(each <= 640, "{each} bytes for a client: {cost:?}");
}

#[tokio::test]
async fn an_event_that_was_rendered_is_not_copied_for_a_client() {
    let (broadcast, stopping) = (Broadcast::<Rendered>::new(8), Stopping::default());
    let mut clients: Vec<_> = (0..10).map(|_| listen(&broadcast, &stopping)).collect();
    let mut next = || clients.iter_mut().map(poll).collect::<Option<Vec<_>>>();
    assert_eq!(next(), None);
    for _ in 0..3 {
        broadcast.send(Event::new().data("x".repeat(1000)));
        assert_eq!(next().expect("each has it"), [1008; 10]);
    }
    broadcast.send(Event::new().data("x"));
    let cost = measure(|| {
        for client in &mut clients {
            assert_eq!(poll(client), Some(9));
            assert_eq!(poll(client), None);
        }
    });
    // The first clone of the bytes may make their count.
    assert!(cost.count_total <= 1, "{cost:?}");
}
