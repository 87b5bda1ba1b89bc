//! What the probe answers, which other programs rely on.

use std::time::Instant;

use polywire::problem::kind;
use polywire::testing::{TestApp, json};

fn app() -> TestApp {
    TestApp::new(probe::generated::Routes::new())
}

#[test]
fn fixed_answers() {
    let app = app();
    app.get("/")
        .send()
        .assert_status(200)
        .assert_header("content-type", "text/plain; charset=utf-8")
        .assert_text("ok");
    app.get("/ping").send().assert_status(200).assert_text(r#"{"ok":true}"#);
    app.get("/users/7")
        .send()
        .assert_status(200)
        .assert_text(r#"{"id":7,"name":"ann"}"#);
    for bad in ["/users/ann", "/users/+5", "/users/-1", "/users/18446744073709551616"] {
        app.get(bad).send().assert_problem(&kind::INVALID_PATH);
    }
    assert_eq!(app.connections(), 1);
}

#[test]
fn a_search_says_how_it_was_understood() {
    let app = app();
    app.get("/search")
        .query("q", "kyrux")
        .query("page", "3")
        .send()
        .assert_json(json!({"q": "kyrux", "page": 3}));
    app.get("/search")
        .query("q", "a b/é")
        .send()
        .assert_json(json!({"q": "a b/é", "page": 1}));
    app.get("/search").send().assert_json(json!({"q": "", "page": 1}));
    for bad in ["x", "+3", "-3", "", "4294967296"] {
        app.get("/search")
            .query("page", bad)
            .send()
            .assert_problem(&kind::INVALID_QUERY);
    }
}

#[test]
fn a_posted_user_comes_back() {
    let app = app();
    let user = json!({"name": "ann \"a\"", "email": "ann@example.org", "age": 42});
    app.post("/users")
        .json(&user)
        .send()
        .assert_status(200)
        .assert_json(user);
    app.post("/users")
        .json(&json!({"name": "ann"}))
        .send()
        .assert_problem(&kind::UNPROCESSABLE_CONTENT);
}

#[test]
fn a_page_has_fifty_rows() {
    let answer = app()
        .get("/rows")
        .send()
        .assert_status(200)
        .assert_header("content-type", "text/html; charset=utf-8");
    let page = String::from_utf8(answer.bytes().to_vec()).unwrap();
    assert_eq!(page.matches("<tr>").count(), probe::ROWS as usize, "{page}");
    assert!(
        page.contains("<td>50</td><td>ann</td><td>likes &#60;b&#62; &#38; "),
        "{page}"
    );
    assert!(page.starts_with("<!DOCTYPE html>\n<title>Rows</title>\n<table>\n<tr>") && page.ends_with("</table>\n"));
}

#[test]
fn an_echo_is_the_same_bytes_up_to_a_mebibyte() {
    let app = app();
    let mebibyte: Vec<u8> = (0..1 << 20).map(|i: u32| (i % 251) as u8).collect();
    for length in [0, 1, 1000, mebibyte.len()] {
        let answer = app.post("/echo").body(&mebibyte[..length]).send().assert_status(200);
        assert!(
            answer.bytes() == &mebibyte[..length],
            "{length} bytes came back otherwise"
        );
    }
    let more = [&mebibyte[..], b"!"].concat();
    app.post("/echo")
        .body(more)
        .send()
        .assert_problem(&kind::CONTENT_TOO_LARGE);
}

#[test]
fn a_large_answer_is_ten_mebibytes() {
    let answer = app()
        .get("/large")
        .send()
        .assert_status(200)
        .assert_header("content-type", "application/octet-stream");
    let bytes = answer.bytes();
    assert_eq!(bytes.len(), 10 << 20);
    assert!(bytes.iter().enumerate().all(|(at, byte)| *byte == (at % 251) as u8));
}

#[test]
fn a_wait_is_one() {
    let app = app();
    let start = Instant::now();
    app.get("/wait").send().assert_status(200).assert_text(r#"{"ok":true}"#);
    assert!(start.elapsed() >= probe::WAIT);
}

#[test]
fn files_are_of_two_sizes() {
    let app = app();
    for size in probe::FILES {
        let answer = app
            .get(format!("/files/{size}"))
            .send()
            .assert_status(200)
            .assert_header("content-type", "application/octet-stream")
            .assert_header("content-length", &size.to_string());
        let expected = (0..size).map(|at| (at % 251) as u8);
        assert!(answer.bytes().iter().copied().eq(expected), "{size}");
    }
    for size in ["0", "9699", "9701", "18446744073709551615"] {
        app.get(format!("/files/{size}"))
            .send()
            .assert_problem(&kind::NOT_FOUND);
    }
    app.get("/files/large").send().assert_problem(&kind::INVALID_PATH);
}
