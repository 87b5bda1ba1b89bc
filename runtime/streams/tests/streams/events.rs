//! Events, and what is sent in silence.

use std::time::Duration;

use pw_core::{FromHead, RequestHead};
use pw_streams::{Event, EventItem, Events, HEARTBEAT, LastEventId, Rendered, Typed};
use tokio::time::{Instant, advance};

use crate::script::{Script, Step, answer, field, head, piece, pieces, ready, script};

const ACCEPT: &str = "text/event-stream";

#[tokio::test]
async fn events_leave_as_they_are() {
    let events = [
        Event::new().id(1).name("tick").data("a\nb"),
        Event::new().comment("what").data(""),
    ];
    let (reply, stream) = answer(ACCEPT, Events::new(ready(events))).expect("it is accepted");
    assert_eq!(field(&reply, "content-type"), Some("text/event-stream"));
    assert_eq!(field(&reply, "cache-control"), Some("no-store"));
    assert_eq!(field(&reply, "x-accel-buffering"), Some("no"));
    assert_eq!(
        pieces(stream).await,
        ["id: 1\nevent: tick\ndata: a\ndata: b\n\n: what\ndata: \n\n"]
    );
}

#[test]
fn only_who_accepts_events_gets_some() {
    let events = || Events::new(ready([Event::new()]));
    for accept in ["*/*", "text/*", "text/event-stream;q=0.1, application/json"] {
        assert!(answer(accept, events()).is_ok(), "{accept}");
    }
    let problem = answer("application/json", events()).expect_err("it is refused");
    assert_eq!(problem.status(), 406);
}

#[tokio::test]
async fn items_of_several_kinds() {
    struct Own;
    impl EventItem for Own {
        fn into_event(self) -> Result<Rendered, pw_core::BoxError> {
            Ok(Event::new().data("own").render())
        }
    }
    let own = answer(ACCEPT, Events::new(ready([Own]))).unwrap().1;
    assert_eq!(pieces(own).await, ["data: own\n\n"]);
    let results = ready([Ok(Event::new().data("a")), Err("broken")]);
    let failing = answer(ACCEPT, Events::new(results)).unwrap().1;
    assert_eq!(pieces(failing).await, ["data: a\n\n", "!broken"]);
}

#[tokio::test]
async fn the_time_to_wait_is_told_at_the_start() {
    let wait = Duration::from_secs(2);
    let silent: Script<u8> = script([Step::Hang]);
    let mut stream = answer(ACCEPT, Typed::new(silent).retry(wait)).unwrap().1;
    assert_eq!(piece(&mut stream).await.unwrap().unwrap(), "retry: 2000\n\n");
    let lines = answer("application/x-ndjson", Typed::new(ready([1])).retry(wait))
        .unwrap()
        .1;
    assert_eq!(pieces(lines).await, ["1\n"], "other formats have no such thing");
}

#[tokio::test(start_paused = true)]
async fn silence_ends_in_a_heartbeat() {
    let silent: Script<Event> = script([Step::Hang]);
    let mut stream = answer(ACCEPT, Events::new(silent)).unwrap().1;
    for _ in 0..3 {
        let start = Instant::now();
        assert_eq!(piece(&mut stream).await.unwrap().unwrap(), ":\n\n");
        let silence = start.elapsed();
        assert!(
            silence >= HEARTBEAT && silence < HEARTBEAT + Duration::from_millis(10),
            "{silence:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn silence_begins_with_what_was_sent_last() {
    let period = Duration::from_secs(4);
    let (item, pend) = (|| Step::Item(Event::new().data("a")), || Step::Pend);
    let steps = script([item(), pend(), item(), pend(), item(), Step::Hang]);
    let mut stream = answer(ACCEPT, Events::new(steps).heartbeat(period)).unwrap().1;
    for _ in 0..3 {
        assert_eq!(piece(&mut stream).await.unwrap().unwrap(), "data: a\n\n");
        // The timer of the first look runs out in between, and is not due.
        advance(Duration::from_secs(3)).await;
    }
    let start = Instant::now();
    assert_eq!(piece(&mut stream).await.unwrap().unwrap(), ":\n\n");
    assert_eq!(start.elapsed().as_secs(), 1);
}

#[tokio::test(start_paused = true)]
async fn heartbeats_can_be_off_and_are_of_events_only() {
    let off = Typed::new(script::<u8, 1>([Step::Hang])).heartbeat(None);
    let lines = Typed::new(script::<u8, 1>([Step::Hang]));
    for (accept, typed) in [(ACCEPT, off), ("application/x-ndjson", lines)] {
        let mut stream = answer(accept, typed).unwrap().1;
        let day = Duration::from_secs(24 * 3600);
        let silence = tokio::time::timeout(day, piece(&mut stream)).await;
        assert!(silence.is_err(), "{accept}");
    }
}

#[test]
fn a_client_says_where_it_was() {
    let mut head = head(&[ACCEPT]);
    head.push_field("Last-Event-ID", b"41");
    assert_eq!(head.field("last-event-id"), Some(&b"41"[..]));
    assert_eq!(LastEventId::from_head(&head).unwrap().parse(), Some(41));
}
