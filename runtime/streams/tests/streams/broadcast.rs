//! One source and many clients.

use pw_core::{ContentStream, Stopping};
use pw_streams::{Broadcast, Event, Events, Prepared, Rendered, Typed};

use crate::script::{answer, piece, pieces};

const ACCEPT: &str = "text/event-stream";

fn news(broadcast: &Broadcast<Rendered>) -> ContentStream {
    answer(ACCEPT, Events::new(broadcast.subscribe())).unwrap().1
}

fn told(broadcast: &Broadcast<Rendered>) -> ContentStream {
    let tell = |missed: u64| Event::new().name("missed").data(missed.to_string()).render();
    answer(ACCEPT, Events::new(broadcast.subscribe_telling(tell)))
        .unwrap()
        .1
}

fn event(data: u32) -> Event {
    Event::new().data(data.to_string())
}

#[tokio::test]
async fn all_who_have_subscribed_get_all() {
    let broadcast = Broadcast::<Rendered>::new(4);
    assert_eq!(broadcast.send(event(0)), 0, "nobody listens");
    let mut clients = [news(&broadcast), told(&broadcast), news(&broadcast.clone())];
    assert_eq!((broadcast.send(event(1)), broadcast.subscribers()), (3, 3));
    for client in &mut clients {
        assert_eq!(piece(client).await.unwrap().unwrap(), "data: 1\n\n");
    }
    broadcast.send(event(2));
    broadcast.send(event(3));
    for client in &mut clients {
        assert_eq!(piece(client).await.unwrap().unwrap(), "data: 2\n\ndata: 3\n\n");
    }
    drop(broadcast);
    for client in clients {
        assert!(pieces(client).await.is_empty(), "it ends with its source");
    }
}

#[tokio::test]
async fn a_client_that_comes_back_is_woken() {
    let broadcast = Broadcast::<Rendered>::new(4);
    let waiting = tokio::spawn(pieces(news(&broadcast)));
    for number in 0..3 {
        tokio::task::yield_now().await;
        broadcast.send(event(number));
    }
    drop(broadcast);
    assert_eq!(waiting.await.unwrap().concat(), "data: 0\n\ndata: 1\n\ndata: 2\n\n");
}

#[tokio::test]
async fn a_client_that_lags_is_dropped() {
    let broadcast = Broadcast::<Rendered>::new(4);
    let client = news(&broadcast);
    for number in 0..7 {
        broadcast.send(event(number));
    }
    assert_eq!(
        pieces(client).await,
        ["!the client was too slow, and has missed 3 items"]
    );
    assert_eq!(broadcast.subscribers(), 0);
}

#[tokio::test]
async fn a_client_that_lags_is_told_and_goes_on() {
    let broadcast = Broadcast::<Rendered>::new(4);
    let mut client = told(&broadcast);
    for number in 0..7 {
        broadcast.send(event(number));
    }
    assert_eq!(
        piece(&mut client).await.unwrap().unwrap(),
        "event: missed\ndata: 3\n\ndata: 3\n\ndata: 4\n\ndata: 5\n\ndata: 6\n\n"
    );
    broadcast.send(event(7));
    assert_eq!(piece(&mut client).await.unwrap().unwrap(), "data: 7\n\n");
    drop(client);
    assert_eq!(broadcast.send(event(8)), 0, "who has gone is not counted");
}

#[tokio::test]
async fn who_listens_hears_one_after_the_other() {
    let broadcast = Broadcast::<u32>::new(4);
    let mut listener = broadcast.listen();
    assert_eq!(broadcast.subscribers(), 1);
    for number in 0..7_u32 {
        broadcast.send(number);
    }
    let lagged = listener.next().await.expect_err("three are not there any more");
    assert_eq!(lagged.missed(), 3);
    for number in 3..7 {
        assert_eq!(listener.next().await, Ok(Some(number)), "it goes on");
    }
    // Given up while it waits: the next item is heard all the same.
    tokio::select! {
        biased;
        heard = listener.next() => panic!("{heard:?} was never sent"),
        () = std::future::ready(()) => {}
    }
    let waiting = tokio::spawn(async move { (listener.next().await, listener.next().await) });
    tokio::task::yield_now().await;
    broadcast.send(7_u32);
    drop(broadcast);
    assert_eq!(waiting.await.unwrap(), (Ok(Some(7)), Ok(None)));
}

#[tokio::test]
async fn prepared_values_leave_in_each_format() {
    let broadcast = Broadcast::<Prepared>::new(4);
    let formats = ["application/x-ndjson", ACCEPT, "application/json"];
    let stopping = Stopping::default();
    let mut clients = formats.map(|accept| {
        let typed = Typed::new(broadcast.subscribe_telling(|_| unreachable!("nobody lags"))).until_stopping();
        let mut stream = answer(accept, typed).unwrap().1;
        stream.begin(&stopping);
        stream
    });
    broadcast.send(Prepared::new(&[1, 2]).unwrap());
    for (client, first) in clients.iter_mut().zip(["[1,2]\n", "data: [1,2]\n\n", "[[1,2]"]) {
        assert_eq!(piece(client).await.unwrap().unwrap(), first);
    }
    stopping.begin();
    for (client, end) in clients.into_iter().zip(["", "", "]"]) {
        assert_eq!(pieces(client).await.concat(), end);
    }
}
