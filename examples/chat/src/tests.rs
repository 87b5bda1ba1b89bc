//! What the application answers before anybody talks, asked without a socket.

use polywire::testing::TestApp;
use polywire::ws::{FOREIGN_ORIGIN, UPGRADE_REQUIRED};

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
    let request = |app: &TestApp, origin| {
        app.get("/talk")
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA==")
            .header("origin", origin)
            .send()
    };
    let app = TestApp::build(build);
    request(&app, "https://elsewhere.example").assert_problem(&FOREIGN_ORIGIN);
}
