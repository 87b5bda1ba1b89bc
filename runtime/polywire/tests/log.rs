//! What is logged of errors and panics, as an application's own subscriber sees it: each once, with the id of its request.
//!
//! One test in a process of its own: the subscriber is the process's.

use std::io::{self, Write};
use std::sync::Mutex;

#[cfg(feature = "transport-fast")]
use polywire::codegen::fast::{Exchange, Head, Service};
#[cfg(not(feature = "transport-fast"))]
use polywire::codegen::hyper::{Exchange, Head, Service};
use polywire::codegen::{Middleware, Next, Node, Problem, RequestHead, Table};
use polywire::testing::TestApp;
use polywire::{DefaultChain, problem::kind};

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Kept;

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What was logged of a request.
fn lines(request_id: &str) -> Vec<String> {
    let log = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
    let lines = log.lines().filter(|line| line.contains(request_id));
    lines.map(str::to_owned).collect()
}

#[derive(Default)]
struct Routes(DefaultChain);

static ROOT: Node = Node::new();
static TABLE: Table = Table::new(&[], &ROOT, &[]);

impl Service for Routes {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        self.0.around(head, cx, Handlers).await
    }
}

struct Handlers;

impl Next<Exchange> for Handlers {
    async fn run(self, head: &Head, _: &mut Exchange) -> Result<(), Problem> {
        match head.path() {
            "/error" => Err(Full(io::ErrorKind::StorageFull.into()))?,
            "/panic" => panic!("the index is 7"),
            _ => Err(Problem::not_found()),
        }
    }
}

#[derive(Debug)]
struct Full(io::Error);

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the order was not kept")
    }
}

impl std::error::Error for Full {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn causes_are_logged_once_and_no_client_sees_them() {
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(|| Kept).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let app = TestApp::new(Routes::default());

    let answer = app.get("/error").header("x-request-id", "the-error").send();
    let answer = answer
        .assert_problem(&kind::INTERNAL)
        .assert_header("x-request-id", "the-error");
    assert!(!answer.text().contains("order") && !answer.text().contains("storage"));
    let logged = lines("the-error");
    assert_eq!(logged.len(), 1, "{logged:?}");
    for part in [" ERROR ", "the order was not kept: no storage space", "status=500"] {
        assert!(logged[0].contains(part), "{part:?} is missing in {}", logged[0]);
    }

    let answer = app.get("/panic").header("x-request-id", "the-panic").send();
    assert!(!answer.assert_problem(&kind::INTERNAL).text().contains("index"));
    let logged = lines("the-panic");
    assert_eq!(logged.len(), 1, "{logged:?}");
    assert!(
        logged[0].contains("a handler panicked") && logged[0].contains("the index is 7"),
        "{}",
        logged[0]
    );

    // A client's own mistake is none of the server's: no line, and the same connection goes on.
    app.get("/nowhere")
        .header("x-request-id", "the-client")
        .send()
        .assert_problem(&kind::NOT_FOUND);
    assert_eq!(lines("the-client"), Vec::<String>::new());
    assert_eq!(app.connections(), 1);
}
