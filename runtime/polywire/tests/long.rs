//! `polywire::testing` and what lasts: answers that are read as they come, and WebSockets, of an application bound by hand.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};

use futures_core::Stream;
#[cfg(feature = "transport-fast")]
use polywire::codegen::fast::{Exchange, Head, Service};
#[cfg(not(feature = "transport-fast"))]
use polywire::codegen::hyper::{Exchange, Head, Service};
use polywire::codegen::{self, Exchange as _, Leaf, Match, Middleware, Next, Node, Problem, Respond, Route, Table};
use polywire::streams::{Broadcast, Event, Events, Rendered};
use polywire::testing::{TestApp, Value, json};
use polywire::ws::{FOREIGN_ORIGIN, Message, WebSocket};
use polywire::{DefaultChain, Streamed};
use tokio::sync::Notify;

struct Routes {
    chain: DefaultChain,
    feed: Broadcast<Rendered>,
    /// A request to `/wait` has reached its handler.
    waits: mpsc::Sender<()>,
    /// It may go on.
    go: Arc<Notify>,
}

static ROUTES: [Route; 6] = [
    Route::new("feed", "GET", "/feed", "long::feed"),
    Route::new("publish", "POST", "/feed", "long::publish"),
    Route::new("lines", "GET", "/lines", "long::lines"),
    Route::new("echo", "GET", "/echo", "long::echo"),
    Route::new("sums", "GET", "/sums", "long::sums"),
    Route::new("wait", "GET", "/wait", "long::wait"),
];
static ROOT: Node = Node::new().literals(&[
    Node::literal("echo").leaf(&Leaf::new(&[("GET", 3)])),
    Node::literal("feed").leaf(&Leaf::new(&[("GET", 0), ("POST", 1)])),
    Node::literal("lines").leaf(&Leaf::new(&[("GET", 2)])),
    Node::literal("sums").leaf(&Leaf::new(&[("GET", 4)])),
    Node::literal("wait").leaf(&Leaf::new(&[("GET", 5)])),
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
        let feed = &self.0.feed;
        match codegen::found(head) {
            Match::Route(0) => Events::new(feed.subscribe()).respond_to(head, cx.reply()),
            Match::Route(1) => {
                let (body, reply) = cx.split();
                let text = String::from_utf8_lossy(codegen::read(body, true).await?).into_owned();
                let event = Event::new().id("7").name("news").data(text);
                feed.send(event).to_string().respond(reply)
            }
            Match::Route(2) => Streamed(Lines(0)).respond(cx.reply()),
            Match::Route(3) => {
                WebSocket::options()
                    .protocols(["shout"])
                    .accept(head, cx, async |mut socket: WebSocket| {
                        while let Some(message) = socket.receive().await? {
                            socket.send(&message).await?;
                        }
                        Ok(())
                    })
            }
            Match::Route(4) => WebSocket::options().accept(head, cx, async |mut socket: WebSocket<Vec<i64>, i64>| {
                while let Some(numbers) = socket.receive().await? {
                    socket.send(&numbers.iter().sum()).await?;
                }
                Ok(())
            }),
            Match::Route(5) => {
                let _ = self.0.waits.send(());
                self.0.go.notified().await;
                "waited".respond(cx.reply())
            }
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}

/// Lines that end early: behind the third there is an error.
struct Lines(u32);

impl Stream for Lines {
    type Item = Result<String, io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0 += 1;
        Poll::Ready(Some(match self.0 {
            1 => Ok("one\r\ntw".to_owned()),
            2 => Ok("o\n".to_owned()),
            3 => Ok("three\n".to_owned()),
            _ => Err(io::Error::other("the disk is gone")),
        }))
    }
}

fn app() -> TestApp {
    waiting_app().0
}

/// The application, what tells that `/wait` waits, and what lets it go on.
fn waiting_app() -> (TestApp, mpsc::Receiver<()>, Arc<Notify>) {
    let (waits, waiting) = mpsc::channel();
    let go = Arc::<Notify>::default();
    let app = TestApp::new(Routes {
        chain: DefaultChain::default(),
        feed: Broadcast::new(16),
        waits,
        go: go.clone(),
    });
    (app, waiting, go)
}

/// What a test that must fail says.
fn failure(test: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(test)).expect_err("this should fail");
    *panic.downcast::<String>().expect("assertions speak")
}

#[test]
fn events_are_heard_as_they_come() {
    let app = app();
    let mut feeds = [app.get("/feed").send_stream(), app.get("/feed").send_stream()];
    for text in [r#"{"a": 1}"#, "two\nlines"] {
        app.post("/feed").body(text).send().assert_status(200).assert_text("2");
        for feed in &mut feeds {
            let event = feed.event().expect("it does not end");
            assert_eq!((event.id.as_deref(), event.name.as_deref()), (Some("7"), Some("news")));
            assert_eq!(event.data, text);
            if text.starts_with('{') {
                assert_eq!(event.json::<Value>(), json!({"a": 1}));
            }
        }
    }
    drop(feeds);
    // The application is told of it, soon.
    let mut tries = 0..10_000;
    while app.post("/feed").body("who is there?").send().text() != "0" {
        tries.next().expect("the clients have gone long ago");
    }
}

#[test]
fn lines_are_put_together_and_no_part_looks_like_the_whole() {
    let app = app();
    let mut lines = app
        .get("/lines")
        .send_stream()
        .assert_status(200)
        .assert_header("content-type", "application/octet-stream");
    for line in ["one", "two", "three"] {
        assert_eq!(lines.line().as_deref(), Some(line));
    }
    let said = failure(|| drop(lines.line()));
    assert!(
        said.contains("GET /lines") && said.contains("its content ends early"),
        "{said}"
    );
    assert_eq!(lines.line(), None);

    let mut pieces = app.get("/lines").send_stream();
    let mut text = Vec::new();
    let broken = loop {
        match pieces.try_next() {
            Ok(piece) => text.extend(piece.expect("this is no clean end")),
            Err(broken) => break broken,
        }
    };
    assert_eq!(text, b"one\r\ntwo\nthree\n");
    assert!(broken.to_string().starts_with("its content ends early"), "{broken}");
    assert_eq!(pieces.try_next().unwrap(), None);

    let mut whole = app.get("/nowhere").send_stream();
    while whole.try_next().expect("it has a clean end").is_some() {}

    let all = failure(|| assert_eq!(app.get("/lines").send_stream().count(), 3));
    assert!(all.contains("its content ends early"), "{all}");
    let text: Vec<u8> = app.get("/nowhere").send_stream().assert_status(404).flatten().collect();
    assert!(String::from_utf8_lossy(&text).contains("Not found"));
}

#[test]
fn messages_come_and_go() {
    let app = app();
    let mut socket = app.socket("/echo");
    socket.send("hello");
    assert_eq!(socket.receive_text(), "hello");
    // More than a pipe holds, both ways.
    let large = vec![7; 1 << 20];
    socket.send(large.clone());
    assert_eq!(socket.receive(), Some(Message::Binary(large.into())));
    socket.send_json(&json!([1, 2]));
    assert_eq!(socket.receive_json::<Value>(), json!([1, 2]));

    socket.send("last");
    socket.close(4000);
    assert_eq!(socket.receive_text(), "last");
    assert_eq!(socket.receive(), None);
    assert_eq!(socket.closed(), 4000);
}

#[test]
fn how_a_server_closes_is_told() {
    let app = app();
    let mut socket = app.socket("/sums");
    socket.send_json(&[20, 22]);
    assert_eq!(socket.receive_json::<i64>(), 42);
    socket.send("no numbers");
    assert_eq!(socket.closed(), 1007);
    let said = failure(|| socket.send("late"));
    assert!(
        said.contains("GET /sums") && said.contains("nothing can be sent"),
        "{said}"
    );
    let said = failure(|| drop(socket.receive_text()));
    assert!(said.contains("1007"), "{said}");
}

#[test]
fn the_handshake_has_the_fields_of_its_request_and_may_be_refused() {
    let app = app();
    let socket = app.get("/echo").header("sec-websocket-protocol", "shout").socket();
    assert_eq!(socket.answer().header("sec-websocket-protocol"), Some("shout"));

    let elsewhere = || app.get("/echo").header("origin", "https://elsewhere.example");
    elsewhere().try_socket().unwrap_err().assert_problem(&FOREIGN_ORIGIN);
    let said = failure(|| drop(elsewhere().socket()));
    assert!(
        said.contains("no WebSocket was opened") && said.contains("403"),
        "{said}"
    );
    app.get("/nowhere").try_socket().unwrap_err().assert_status(404);
}

#[tokio::test]
async fn a_test_that_is_async_may_use_both() {
    let app = app();
    let (mut socket, mut feed) = (app.socket("/echo"), app.get("/feed").send_stream());
    app.post("/feed").body("news").await.assert_status(200);
    let event = feed.event().expect("it does not end");
    socket.send(event.data);
    assert_eq!(socket.receive_text(), "news");
}

#[test]
fn a_shutdown_is_heard_by_what_lasts_and_finishes_what_is_in_flight() {
    let (app, waiting, go) = waiting_app();
    let (mut feed, mut socket) = (app.get("/feed").send_stream(), app.socket("/echo"));
    app.post("/feed").body("last words").send().assert_text("1");
    socket.send("hello");
    assert_eq!(socket.receive_text(), "hello");
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| app.get("/wait").send());
        waiting.recv().expect("the application is there");
        app.stop();
        go.notify_one();
        let answer = answer.join().expect("it is answered");
        answer
            .assert_status(200)
            .assert_header("connection", "close")
            .assert_text("waited");
    });
    // What was sent before is still read, behind it is a clean end.
    assert_eq!(feed.event().expect("it was sent before").data, "last words");
    assert_eq!(feed.try_next().expect("it has a clean end"), None);
    assert_eq!(socket.closed(), 1001);

    for late in [
        failure(|| drop(app.get("/feed").send())),
        failure(|| drop(app.get("/feed").send_stream())),
        failure(|| drop(app.socket("/echo"))),
        failure(|| drop(app.raw("GET / HTTP/1.1\r\n\r\n"))),
    ] {
        assert!(late.contains("the application was stopped"), "{late}");
    }
}

#[test]
fn a_handler_goes_on_when_its_client_has_shut_its_side() {
    let (app, waiting, go) = waiting_app();
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| app.raw("GET /wait HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        waiting.recv().expect("the application is there");
        go.notify_one();
        let answer = answer.join().expect("the connection ends");
        assert!(answer.ends_with(b"waited"), "{}", answer.escape_ascii());
    });
}
