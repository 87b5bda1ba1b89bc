//! What the application answers, and what people hear of each other, without a real socket.

use polywire::testing::{TestApp, Value, json};
use polywire::ws::{FOREIGN_ORIGIN, Message, UPGRADE_REQUIRED};

use crate::build;

#[test]
fn the_page_names_what_is_there_by_its_fingerprint() {
    let app = TestApp::build(build);
    let page = app
        .get("/")
        .send()
        .assert_status(200)
        .assert_header("content-type", "text/html; charset=utf-8")
        .assert_header("content-security-policy", "default-src 'self'");
    let urls: Vec<_> = page
        .text()
        .split('"')
        .filter(|text| text.starts_with("/static/"))
        .map(str::to_owned)
        .collect();
    assert_eq!(urls.len(), 3, "{urls:?}");
    assert!(!page.text().contains('{'), "something was not replaced");
    for url in urls {
        let answer = app.get(&url).send().assert_status(200);
        let keep = answer.header("cache-control");
        assert!(keep.is_some_and(|keep| keep.contains("immutable")), "{url}: {keep:?}");
    }
}

#[test]
fn a_request_that_is_no_websocket_is_told_so() {
    TestApp::build(build)
        .get("/talk")
        .send()
        .assert_problem(&UPGRADE_REQUIRED);
}

#[test]
fn a_page_of_somebody_else_may_not_talk() {
    let app = TestApp::build(build);
    let talk = |origin| app.get("/talk").header("origin", origin).try_socket();
    talk("https://elsewhere.example")
        .unwrap_err()
        .assert_problem(&FOREIGN_ORIGIN);
    talk("http://localhost").unwrap();
}

#[test]
fn what_one_says_all_hear() {
    let app = TestApp::build(build);
    let (mut ann, mut bob) = (app.socket("/talk"), app.socket("/talk"));
    let words = |name, text| json!({"kind": "words", "name": name, "text": text});
    ann.send_json(&json!({"name": " ann ", "text": "hello <b>bob</b>\n"}));
    for client in [&mut ann, &mut bob] {
        assert_eq!(client.receive_json::<Value>(), words("ann", "hello <b>bob</b>"));
    }
    // Nothing is said without a word.
    bob.send_json(&json!({"name": "bob", "text": " "}));
    bob.send_json(&json!({"name": "", "text": "hello"}));
    for client in [&mut ann, &mut bob] {
        assert_eq!(client.receive_json::<Value>(), words("somebody", "hello"));
    }
}

#[test]
fn who_does_not_listen_is_told_what_was_missed() {
    const SAID: u64 = 1_000;
    let app = TestApp::build(build);
    let (mut lazy, mut ann) = (app.socket("/talk"), app.socket("/talk"));
    // More than a connection holds.
    let said = json!({"name": "ann", "text": "a".repeat(3_900)});
    for _ in 0..SAID {
        ann.send_json(&said);
        assert_eq!(ann.receive_json::<Value>()["kind"], "words");
    }
    let (mut words, mut missed) = (0, 0);
    while words + missed < SAID {
        match lazy.receive_json::<Value>()["messages"].as_u64() {
            Some(messages) => missed += messages,
            None => words += 1,
        }
    }
    assert_eq!(words + missed, SAID);
    assert!(missed > 0, "the room kept all of them");
}

#[test]
fn who_says_what_can_t_be_understood_is_closed() {
    let app = TestApp::build(build);
    for (message, code) in [
        (Message::from("hello"), 1007),
        (Message::from(r#"{"name": "ann"}"#), 1007),
        (Message::from(b"{}".to_vec()), 1003),
        (Message::from(" ".repeat(5_000)), 1009),
    ] {
        let mut ann = app.socket("/talk");
        ann.send(message.clone());
        assert_eq!(ann.closed(), code, "{message:?}");
    }
}

#[test]
fn the_clock_ticks() {
    let app = TestApp::build(build);
    let mut clock = app
        .get("/clock")
        .send_stream()
        .assert_header("content-type", "text/event-stream");
    let mut tick = || {
        let tick = clock.event().expect("it goes on");
        assert_eq!(tick.name.as_deref(), Some("tick"));
        tick.json::<u64>()
    };
    assert!(tick() < tick());
}

#[test]
fn all_ends_with_the_server() {
    let app = TestApp::build(build);
    let (mut ann, mut clock) = (app.socket("/talk"), app.get("/clock").send_stream());
    clock.event().expect("it goes on");
    app.stop();
    assert_eq!(ann.closed(), 1001);
    while clock.event().is_some() {}
}
