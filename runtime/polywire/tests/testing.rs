//! `polywire::testing` against an application bound by hand, as generated code binds one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(feature = "transport-fast")]
use polywire::codegen::fast::{Exchange, Head, Service};
#[cfg(not(feature = "transport-fast"))]
use polywire::codegen::hyper::{Exchange, Head, Service};
use polywire::codegen::{self, Exchange as _, Leaf, Match, Middleware, Next, Node, Problem, Respond, Route, Table};
use polywire::testing::{TestApp, json};
use polywire::{DefaultChain, Json, Limits, StatusCode, Timeouts, problem::kind};

#[derive(Default)]
struct Routes {
    chain: DefaultChain,
    state: AtomicU64,
}

static ROUTES: [Route; 3] = [
    Route::new("count", "GET", "/count", "testing::count"),
    Route::new("echo", "POST", "/echo", "testing::echo"),
    Route::new("broken", "GET", "/broken", "testing::broken"),
];
static ROOT: Node = Node::new().literals(&[
    Node::literal("broken").leaf(&Leaf::new(&[("GET", 2)])),
    Node::literal("count").leaf(&Leaf::new(&[("GET", 0)])),
    Node::literal("echo").leaf(&Leaf::new(&[("POST", 1)])),
]);
static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);

impl Service for Routes {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        self.chain.around(head, cx, Handlers(self)).await
    }
}

struct Handlers<'a>(&'a Routes);

impl Next<Exchange> for Handlers<'_> {
    async fn run(self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        match codegen::found(head) {
            Match::Route(0) => Json(self.0.state.fetch_add(1, Ordering::Relaxed)).respond(cx.reply()),
            Match::Route(1) => {
                let (body, reply) = cx.split();
                codegen::read(body, true).await?.respond(reply)
            }
            Match::Route(2) => Err(Problem::internal("the disk is full")),
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}

fn app() -> TestApp {
    TestApp::new(Routes::default())
}

/// What a test that must fail says.
fn failure(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("this should fail");
    *panic.downcast::<String>().expect("assertions speak")
}

#[test]
fn one_connection_carries_many_requests() {
    let app = app();
    for n in 0..10 {
        app.get("/count").send().assert_status(200).assert_json(n);
    }
    assert_eq!(app.connections(), 1);
    app.get("/count")
        .header("connection", "close")
        .send()
        .assert_header("connection", "close");
    app.get("/count").send().assert_status(StatusCode::OK);
    assert_eq!(app.connections(), 2);
}

#[test]
fn several_clients_at_once_share_the_application() {
    const CLIENTS: usize = 8;
    const EACH: usize = 50;
    let app = app();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    app.get("/count").send().assert_status(200);
                }
            });
        }
    });
    app.get("/count").send().assert_json(CLIENTS * EACH);
    assert!(app.connections() <= CLIENTS, "{} connections", app.connections());
}

#[tokio::test]
async fn an_async_test_awaits_its_requests() {
    let app = app();
    app.get("/count").await.assert_json(0);
    app.post("/echo")
        .body("hello")
        .await
        .assert_status(200)
        .assert_text("hello");
    // Waiting without await works too: the application has threads of its own.
    app.get("/count").send().assert_json(1);
}

#[tokio::test]
async fn state_is_built_by_an_async_constructor() {
    let app = TestApp::build(async || {
        let state = tokio::spawn(async { AtomicU64::new(7) }).await?;
        Ok::<_, tokio::task::JoinError>(Routes {
            state,
            ..Routes::default()
        })
    });
    app.get("/count").await.assert_json(7);
}

#[test]
fn a_constructor_that_fails_fails_the_test() {
    let said = failure(|| drop(TestApp::build(async || Err::<Routes, _>("no database"))));
    assert_eq!(said, "the application can't start: no database");
}

#[tokio::test]
async fn it_fails_an_async_test_just_so() {
    let said = failure(|| drop(TestApp::build(async || Err::<Routes, _>("no database"))));
    assert_eq!(said, "the application can't start: no database");
    let panicking = async || -> Result<Routes, &str> { panic!("no disk {}", std::hint::black_box(7)) };
    assert_eq!(failure(|| drop(TestApp::build(panicking))), "no disk 7");
}

#[test]
fn a_failed_assertion_shows_the_whole_answer_and_the_request() {
    let app = app();
    let said = failure(|| drop(app.get("/nowhere").send().assert_status(200)));
    for part in [
        "the status should be 200\n",
        "the answer to GET /nowhere, sent at ",
        "testing.rs:",
        "\n404 Not Found\n",
        "\ncontent-type: application/problem+json\n",
        "\n\n{\"type\":\"urn:polywire:problem:not-found\"",
    ] {
        assert!(said.contains(part), "{part:?} is missing in\n{said}");
    }
    let answer = || app.get("/count").send();
    assert!(failure(|| drop(answer().assert_json("1"))).starts_with("the content should be \"1\"\n"));
    assert!(failure(|| drop(answer().assert_text("x"))).starts_with("the content should be \"x\"\n"));
    assert!(failure(|| drop(answer().assert_header("etag", "1"))).starts_with("it should have `etag: 1`\n"));
    assert!(failure(|| drop(answer().json::<String>())).starts_with("the content is not the JSON of a `alloc::string"));
    assert!(failure(|| drop(answer().assert_problem(&kind::NOT_FOUND))).starts_with("the status should be 404\n"));
    let echo = || app.post("/echo").body([0xff, 0xfe]).send();
    assert!(failure(|| drop(echo().text())).ends_with("\n\n\\xff\\xfe"));
    assert!(failure(|| drop(echo().assert_json(1))).starts_with("the content-type should be JSON's\n"));
}

#[test]
fn a_request_that_can_not_be_written_is_refused() {
    let app = app();
    assert_eq!(failure(|| drop(app.request("G T", "/"))), "`G T` can't be a method");
    assert!(failure(|| drop(app.get("/a b"))).starts_with("`/a b` can't be a request target: percent-encode"));
    assert_eq!(
        failure(|| drop(app.get("/").header("a", "b\nc"))),
        "`a: b\nc` can't be a field"
    );
}

#[test]
fn content_is_sent_as_what_it_is() {
    let app = app();
    app.post("/echo").send().assert_status(200).assert_text("");
    app.post("/echo").json(&json!([1, "é"])).send().assert_text("[1,\"é\"]");
    app.post("/echo")
        .form(&[("a b", "1"), ("c", "ä&")])
        .send()
        .assert_text("a+b=1&c=%C3%A4%26");
    let large = vec![7; 300 * 1024];
    assert_eq!(app.post("/echo").body(large.clone()).send().bytes(), large);
}

#[test]
fn head_and_options_have_no_content() {
    let app = app();
    let answer = app
        .head("/count")
        .send()
        .assert_status(200)
        .assert_header("content-length", "1");
    assert!(answer.bytes().is_empty());
    app.options("/count").send().assert_status(204).assert_text("");
    assert_eq!(app.connections(), 1);
}

#[test]
fn limits_are_the_tests() {
    let limits = Limits {
        body: 4,
        ..Limits::default()
    };
    let app = TestApp::with(Routes::default(), limits, Timeouts::default());
    app.post("/echo").body("1234").send().assert_status(200);
    app.post("/echo")
        .body("12345")
        .send()
        .assert_problem(&kind::CONTENT_TOO_LARGE);
    app.get("/count").send().assert_status(200);
}

#[test]
fn no_limit_lets_a_head_be_longer_than_64_kib() {
    let limits = Limits {
        head: 1024 * 1024,
        ..Limits::default()
    };
    let app = TestApp::with(Routes::default(), limits, Timeouts::default());
    let with_field = |length: usize| app.get("/count").header("x", &"y".repeat(length)).send();
    with_field(63 * 1024).assert_status(200);
    with_field(65 * 1024).assert_problem(&kind::HEADER_FIELDS_TOO_LARGE);
}

#[test]
fn raw_bytes_are_answered_as_on_a_socket() {
    let app = app();
    let answers = app.raw("GET /count HTTP/1.1\r\nhost: a\r\n\r\nGET /count HTTP/1.1\r\nhost : a\r\n\r\n");
    let answers = String::from_utf8(answers).unwrap();
    assert!(answers.starts_with("HTTP/1.1 200 OK\r\n"), "{answers}");
    assert!(answers.contains("\r\n\r\n0HTTP/1.1 400 Bad Request\r\n"), "{answers}");
}

#[test]
fn an_internal_cause_stays_inside() {
    let answer = app().get("/broken").send().assert_problem(&kind::INTERNAL);
    assert!(!answer.text().contains("disk"));
}
