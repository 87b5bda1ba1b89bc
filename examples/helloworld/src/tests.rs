//! What the application answers, asked without a socket.

use std::sync::Mutex;

use polywire::problem::kind;
use polywire::testing::{TestApp, json};

use crate::{Users, generated};

fn app() -> TestApp {
    TestApp::new(generated::Routes::new(Users(Mutex::new(vec!["ann".to_owned()]))))
}

#[test]
fn the_page_is_html() {
    let page = app()
        .get("/")
        .send()
        .assert_status(200)
        .assert_header("content-type", "text/html; charset=utf-8");
    assert!(page.text().contains("<h1>It runs</h1>"));
}

#[test]
fn a_greeting_has_a_name() {
    let app = app();
    app.get("/greet").send().assert_text("Hello, world!");
    app.get("/greet")
        .query("name", "ann & bob")
        .send()
        .assert_text("Hello, ann & bob!");
}

#[test]
fn a_user_is_shown() {
    let app = app();
    app.get("/users/0")
        .send()
        .assert_status(200)
        .assert_json(json!({"id": 0, "name": "ann"}));
    app.get("/users/1").send().assert_problem(&kind::NOT_FOUND);
    app.get("/users/ann").send().assert_problem(&kind::INVALID_PATH);
}

#[test]
fn a_user_is_added() {
    let app = app();
    app.post("/users")
        .json(&json!({"name": "bob"}))
        .send()
        .assert_status(201)
        .assert_header("location", "/users/1")
        .assert_json(json!({"id": 1, "name": "bob"}));
    app.get("/users/1").send().assert_json(json!({"id": 1, "name": "bob"}));
}

#[test]
fn a_post_that_holds_no_user_is_refused() {
    let app = app();
    app.post("/users")
        .json(&json!({"nom": "bob"}))
        .send()
        .assert_problem(&kind::UNPROCESSABLE_CONTENT);
    app.post("/users")
        .header("content-type", "application/json")
        .body("{")
        .send()
        .assert_problem(&kind::INVALID_BODY);
    app.post("/users")
        .body("bob")
        .send()
        .assert_problem(&kind::UNSUPPORTED_MEDIA_TYPE);
    app.post("/users")
        .json(&json!({"name": "b".repeat(4096)}))
        .send()
        .assert_problem(&kind::CONTENT_TOO_LARGE);
    app.delete("/users")
        .send()
        .assert_problem(&kind::METHOD_NOT_ALLOWED)
        .assert_header("allow", "OPTIONS, POST");
}
