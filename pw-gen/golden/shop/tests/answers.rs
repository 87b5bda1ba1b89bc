//! Each route of the shop answers by way of its own handler, whatever `cfg` leaves out beside it. Run it with
//! `--features admin`, `--features search` and both, too.

use polywire::testing::{Answer, Request, TestApp, json};
use pw_gen_golden_shop::routes;

fn app() -> TestApp {
    TestApp::new(routes())
}

/// The status, and the text where it is 200.
fn outcome(answer: &Answer) -> (u16, String) {
    match answer.status().as_u16() {
        200 => (200, answer.text()),
        status => (status, String::new()),
    }
}

fn answers(request: Request<'_>, text: &str) {
    assert_eq!(outcome(&request.send()), (200, text.to_owned()));
}

fn refuses(request: Request<'_>, status: u16) {
    assert_eq!(outcome(&request.send()), (status, String::new()));
}

#[test]
fn modules_in_every_layout() {
    let app = app();
    answers(app.get("/"), "shop");
    answers(app.get("/inline"), "inline");
    answers(app.get("/inline/deep"), "deep");
    answers(app.get("/inline/below"), "below");
    answers(app.get("/elsewhere"), "elsewhere");
    answers(app.get("/catalog/items/new"), "form");
    assert_eq!(
        app.get("/").send().header("x-stamp"),
        Some("golden"),
        "the chain is the shop's"
    );
}

#[test]
fn every_kind_of_argument() {
    let app = app();
    answers(app.get("/args/one/7"), "7");
    answers(app.get("/args/two/7/b%20c"), "7 b c");
    answers(app.get("/args/named/High%20Street/York"), "High Street in York");
    answers(app.get("/args/query?page=3"), "Some(3)");
    answers(app.get("/args/head/x"), "Some(\"x\") shop");
    answers(app.get("/args/type"), "type");
    answers(app.get("/args/agent").header("user-agent", "x/1"), "x/1");
    answers(app.post("/args/echo").body("abc"), "abc");
    answers(app.post("/args/length").body("abcd"), "4");
    answers(
        app.post("/args/raw/me").header("user-agent", "x/1").body("body"),
        "me x/1 body",
    );
    answers(app.post("/args/generic/you"), "you");
    answers(
        app.post("/args/note/1?page=2").json(&json!({"text": "n"})),
        r#"{"text":"n"}"#,
    );
}

#[test]
fn what_the_head_gives_is_made_before_the_body_is_read() {
    let app = app();
    let long = json!({ "text": "x".repeat(100) });
    refuses(app.post("/args/note/no-number").json(&long), 400);
    refuses(app.post("/args/note/1").json(&long), 413);
}

#[test]
fn wildcards_and_slashes() {
    let app = app();
    answers(app.get("/catalog/a/b"), "browse a/b");
    answers(app.get("/catalog/items"), "browse items");
    answers(app.get("/catalog/items/7"), "item 7");
    answers(app.get("/catalog/items/7/"), "item 7 with a slash");
    answers(app.get("/catalog/items/7/8"), "browse items/7/8");
    answers(app.request("PURGE", "/catalog/items/new"), "purge items/new");
}

#[test]
fn limits_and_timeouts() {
    let app = app();
    answers(app.put("/catalog/items/7").body("12345678"), "item 7: 12345678");
    refuses(app.put("/catalog/items/7").body("123456789"), 413);
    refuses(app.post("/catalog/items/7/wait").body("never"), 503);
}

#[test]
fn routes_of_another_crate() {
    let app = app();
    answers(app.get("/accounts"), "3");
    answers(app.get("/accounts/12"), "account 12");
    match cfg!(unix) {
        true => answers(app.get("/accounts/unix"), "unix"),
        false => refuses(app.get("/accounts/unix"), 400),
    }
}

#[test]
fn routes_that_are_not_in_every_build() {
    let app = app();
    let (admin, search) = (cfg!(feature = "admin"), cfg!(feature = "search"));
    answers(app.get("/platform"), if cfg!(unix) { "unix" } else { "other" });
    answers(app.get("/admin"), if admin { "admin" } else { "page admin" });
    match (admin, search) {
        (true, true) => answers(app.get("/admin/search"), "searched"),
        (true, false) => answers(app.get("/admin/search"), "nothing to search"),
        (false, _) => refuses(app.get("/admin/search"), 404),
    }
    answers(app.get("/search"), if search { "form" } else { "page search" });
    match search {
        true => answers(app.request("SEARCH", "/search?q=x"), r#"[("q", "x")]"#),
        false => refuses(app.request("SEARCH", "/search?q=x"), 501),
    }
}
