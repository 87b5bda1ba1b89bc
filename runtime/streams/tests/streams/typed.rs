//! One stream of values in each format.

use std::collections::BTreeMap;

use http::StatusCode;
use pw_core::{Reply, Respond};
use pw_streams::{Format, Prepared, TryTyped, Typed};
use serde::Serialize;

use crate::script::{Step, answer, field, head, pieces, ready, script};

#[derive(Clone, Serialize)]
struct Tick {
    number: u64,
    text: &'static str,
}

fn ticks() -> Vec<Tick> {
    let texts = ["a", "b\nc", "é"];
    let tick = |(number, text)| Tick { number, text };
    (1..).zip(texts).map(tick).collect()
}

async fn whole(accept: &str, respond: impl Respond) -> String {
    pieces(answer(accept, respond).expect("it is accepted").1)
        .await
        .concat()
}

#[tokio::test]
async fn each_client_gets_the_format_it_asks_for() {
    let lines = concat!(
        "{\"number\":1,\"text\":\"a\"}\n",
        "{\"number\":2,\"text\":\"b\\nc\"}\n",
        "{\"number\":3,\"text\":\"é\"}\n"
    );
    let events = concat!(
        "data: {\"number\":1,\"text\":\"a\"}\n\n",
        "data: {\"number\":2,\"text\":\"b\\nc\"}\n\n",
        "data: {\"number\":3,\"text\":\"é\"}\n\n"
    );
    let array = "[{\"number\":1,\"text\":\"a\"},{\"number\":2,\"text\":\"b\\nc\"},{\"number\":3,\"text\":\"é\"}]";
    for (accept, media_type, cache, content) in [
        ("*/*", "application/x-ndjson", None, lines),
        ("application/x-ndjson", "application/x-ndjson", None, lines),
        ("text/event-stream", "text/event-stream", Some("no-store"), events),
        ("application/json", "application/json", None, array),
    ] {
        let (reply, stream) = answer(accept, Typed::new(ready(ticks()))).expect("it is accepted");
        assert_eq!(reply.status(), StatusCode::OK);
        assert_eq!(field(&reply, "content-type"), Some(media_type), "{accept}");
        assert_eq!(field(&reply, "cache-control"), cache, "{accept}");
        assert_eq!(field(&reply, "x-accel-buffering"), Some("no"), "{accept}");
        assert_eq!(field(&reply, "vary"), Some("accept"), "{accept}");
        assert_eq!(reply.length(), Some(0), "the stream was taken");
        assert_eq!(pieces(stream).await.concat(), content, "{accept}");
    }
    let mut reply = Reply::default();
    Typed::new(ready(ticks()))
        .respond_to(&head(&[]), &mut reply)
        .expect("who asks for nothing gets something");
    assert_eq!(field(&reply, "content-type"), Some("application/x-ndjson"));
    assert_eq!(reply.length(), None, "a stream does not know its length");
}

#[tokio::test]
async fn what_is_preferred_decides_among_equals_only() {
    for (accept, media_type) in [
        ("*/*", "application/json"),
        ("application/json;q=0.9, application/x-ndjson", "application/x-ndjson"),
        ("text/*", "text/event-stream"),
    ] {
        let typed = Typed::new(ready(ticks())).prefer(Format::Array);
        let (reply, _) = answer(accept, typed).expect("it is accepted");
        assert_eq!(field(&reply, "content-type"), Some(media_type), "{accept}");
    }
}

#[test]
fn a_client_that_takes_none_is_told_what_there_is() {
    let problem = answer("text/html", Typed::new(ready(ticks()))).expect_err("it is refused");
    assert_eq!(problem.status(), 406);
    let mut reply = Reply::default();
    problem.write(&mut reply);
    let document = String::from_utf8(reply.content().to_vec()).unwrap();
    for part in [
        "urn:polywire:problem:not-acceptable",
        "application/x-ndjson, text/event-stream, application/json",
    ] {
        assert!(document.contains(part), "{document}");
    }
}

#[tokio::test]
async fn nothing_is_something_in_each_format() {
    for (accept, content) in [
        ("application/x-ndjson", ""),
        ("text/event-stream", ""),
        ("application/json", "[]"),
    ] {
        assert_eq!(whole(accept, Typed::new(ready([0; 0]))).await, content);
    }
}

#[tokio::test]
async fn values_that_come_alone_leave_alone_and_together_together() {
    let steps = || {
        let (item, pend) = (Step::Item, || Step::Pend);
        script([pend(), item(1), pend(), item(2), item(3), pend(), pend()])
    };
    for (accept, expected) in [
        ("application/x-ndjson", &["1\n", "2\n3\n"][..]),
        ("text/event-stream", &["data: 1\n\n", "data: 2\n\ndata: 3\n\n"]),
        ("application/json", &["[1", ",2,3", "]"]),
    ] {
        let (_, stream) = answer(accept, Typed::new(steps())).expect("it is accepted");
        assert_eq!(pieces(stream).await, expected);
    }
}

#[tokio::test]
async fn a_piece_has_a_bound() {
    let text = "x".repeat(1000);
    let (_, stream) = answer("application/x-ndjson", Typed::new(ready(vec![text; 100]))).expect("it is accepted");
    let lengths: Vec<_> = pieces(stream).await.iter().map(String::len).collect();
    assert_eq!(lengths.iter().sum::<usize>(), 100 * 1003);
    assert!(lengths.iter().all(|length| *length < 8 * 1024 + 1003), "{lengths:?}");
    assert!(lengths.len() < 15, "{lengths:?}");
}

#[tokio::test]
async fn an_error_comes_after_what_was_before_it_and_is_the_end() {
    let items = || ready([Ok(1), Ok(2), Err("a secret"), Ok(3)]);
    for (accept, before) in [
        ("application/x-ndjson", "1\n2\n"),
        ("text/event-stream", "data: 1\n\ndata: 2\n\n"),
        ("application/json", "[1,2"),
    ] {
        let (_, stream) = answer(accept, TryTyped::new(items())).expect("it is accepted");
        assert_eq!(pieces(stream).await, [before, "!a secret"]);
    }
}

#[tokio::test]
async fn a_value_that_can_t_be_serialised_is_an_error() {
    let broken = || BTreeMap::from([((1, 2), 3)]);
    for accept in ["application/x-ndjson", "text/event-stream", "application/json"] {
        let items = [BTreeMap::new(), broken()];
        let (_, stream) = answer(accept, Typed::new(ready(items))).expect("it is accepted");
        let pieces = pieces(stream).await;
        let [before, error] = pieces.as_slice() else {
            panic!("{pieces:?}")
        };
        assert!(before.contains("{}") && !before.contains('3'), "{before}");
        assert!(error.starts_with("!key must be a string"), "{error}");
    }
}

#[tokio::test]
async fn events_are_decorated_and_other_formats_are_not() {
    let typed = || Typed::new(ready(ticks())).events(|tick, event| event.id(tick.number).name("tick"));
    let events = whole("text/event-stream", typed()).await;
    assert!(events.starts_with("data: {\"number\":1,\"text\":\"a\"}\nid: 1\nevent: tick\n\ndata: "));
    assert!(events.ends_with("\nid: 3\nevent: tick\n\n"));
    let lines = whole("application/x-ndjson", typed()).await;
    assert!(!lines.contains("tick"), "{lines}");
}

#[tokio::test]
async fn json_that_was_text_before_breaks_no_line() {
    let raw = serde_json::value::RawValue::from_string("{\"a\":\r\n1}".to_owned()).unwrap();
    let prepared = Prepared::new(&raw).unwrap();
    assert_eq!(prepared.text(), "{\"a\":\r\n1}");
    let items = || ready([prepared.clone(), prepared.clone()]);
    for (accept, content) in [
        ("application/x-ndjson", "{\"a\":  1}\n{\"a\":  1}\n"),
        (
            "text/event-stream",
            "data: {\"a\":\ndata: 1}\n\ndata: {\"a\":\ndata: 1}\n\n",
        ),
        ("application/json", "[{\"a\":\r\n1},{\"a\":\r\n1}]"),
    ] {
        assert_eq!(whole(accept, Typed::new(items())).await, content);
    }
}

#[tokio::test]
async fn it_answers_within_other_answers() {
    let typed = || Typed::new(ready([1]));
    let within = (
        StatusCode::CREATED,
        [(http::header::CACHE_CONTROL, "private")],
        Some(typed()),
    );
    let (reply, stream) = answer("text/event-stream", within).expect("it is accepted");
    assert_eq!(reply.status(), StatusCode::CREATED);
    assert_eq!(field(&reply, "cache-control"), Some("private"));
    assert_eq!(pieces(stream).await, ["data: 1\n\n"]);
}
