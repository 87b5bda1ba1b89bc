//! Handlers that reach out: to a database by sqlx, to an HTTP service by reqwest. Both are made by the application's
//! constructor, so what they spawned there lives on the runtime that builds and accepts, and handlers on every worker
//! use it. The application is bound by hand, as generated code binds one.
//!
//! What handlers may await of tokio itself is tested with the transports, in pw-conformance's suite.

use std::convert::Infallible;
use std::error::Error;
use std::future::pending;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[cfg(feature = "transport-fast")]
use polywire::codegen::fast::{Exchange, Head, Service};
#[cfg(not(feature = "transport-fast"))]
use polywire::codegen::hyper::{Exchange, Head, Service};
use polywire::codegen::{self, Exchange as _, Leaf, Match, Middleware, Next, Node, Respond, Route, Table};
use polywire::testing::TestApp;
use polywire::{DefaultChain, Json, Path, Problem, State, problem::kind};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Connections to the database: fewer than requests at once, so that handlers wait for each other.
const POOL: u32 = 2;

/// How many requests come at once, each from a thread of its own.
const CLIENTS: usize = 8;

/// How many requests each of them sends.
const EACH: usize = 25;

/// For an answer that never comes.
const SHORT: Duration = Duration::from_millis(20);

/// What handlers reach.
struct Outside {
    notes: SqlitePool,
    web: reqwest::Client,
    service: SocketAddr,
}

impl Outside {
    /// As an application makes its state: with a table, and with a connection to the service that was used and is kept.
    async fn build(file: &File) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let options = SqliteConnectOptions::new()
            .filename(&file.0)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Memory)
            .synchronous(SqliteSynchronous::Off)
            .busy_timeout(Duration::from_secs(20));
        let notes = SqlitePoolOptions::new()
            .max_connections(POOL)
            .connect_with(options)
            .await?;
        sqlx::query("CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL UNIQUE)")
            .execute(&notes)
            .await?;

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let service = listener.local_addr()?;
        tokio::spawn(serve(listener));
        let outside = Self {
            notes,
            web: reqwest::Client::builder().no_proxy().build()?,
            service,
        };
        assert_eq!(outside.fetch("kept").await?, "0");
        Ok(outside)
    }

    async fn fetch(&self, what: &str) -> reqwest::Result<String> {
        let url = format!("http://{}/{what}", self.service);
        self.web.get(url).send().await?.text().await
    }

    async fn count(&self) -> sqlx::Result<i64> {
        sqlx::query_scalar("SELECT count(*) FROM notes")
            .fetch_one(&self.notes)
            .await
    }
}

/// A database's file. The test has it, not the application, which may end after the test.
struct File(PathBuf);

impl File {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!(
            "clients-{}-{}.sqlite",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        Self(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The service: it answers which of its connections the request came on, from 0.
async fn serve(listener: TcpListener) {
    for at in 0.. {
        let Ok((socket, _)) = listener.accept().await else {
            return;
        };
        tokio::spawn(converse(at, socket));
    }
}

/// Of three targets, `/kept` keeps every connection, `/first` the first alone, and `/never` has no answer.
async fn converse(at: usize, socket: TcpStream) -> std::io::Result<()> {
    let mut socket = BufStream::new(socket);
    loop {
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            if socket.read_line(&mut request).await? == 0 {
                return Ok(());
            }
        }
        if request.starts_with("GET /never ") {
            return pending().await;
        }
        let close = at > 0 && request.starts_with("GET /first ");
        let field = if close { "connection: close\r\n" } else { "" };
        let content = at.to_string();
        let answer = format!(
            "HTTP/1.1 200 OK\r\n{field}content-length: {}\r\n\r\n{content}",
            content.len()
        );
        socket.write_all(answer.as_bytes()).await?;
        socket.flush().await?;
        if close {
            return Ok(());
        }
    }
}

/// Adds a note, and answers how many there are with it.
async fn add(State(outside): State<'_, Outside>, note: &str) -> sqlx::Result<Json<i64>> {
    let mut transaction = outside.notes.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query("INSERT INTO notes (note) VALUES (?)")
        .bind(note)
        .execute(&mut *transaction)
        .await?;
    let count = sqlx::query_scalar("SELECT count(*) FROM notes")
        .fetch_one(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(Json(count))
}

/// Adds a note, and is dropped before it has committed.
async fn abandon(State(outside): State<'_, Outside>) -> Result<Json<i64>, Problem> {
    let (inserted, insert) = tokio::sync::oneshot::channel();
    let handler = async {
        let mut transaction = outside.notes.begin_with("BEGIN IMMEDIATE").await?;
        sqlx::query("INSERT INTO notes (note) VALUES ('abandoned')")
            .execute(&mut *transaction)
            .await?;
        let _ = inserted.send(());
        pending::<sqlx::Result<Infallible>>().await
    };
    tokio::select! {
        Err(error) = handler => return Err(error.into()),
        Ok(()) = insert => {}
    }
    Ok(Json(outside.count().await?))
}

async fn fetch(State(outside): State<'_, Outside>, Path(what): Path<&str>) -> reqwest::Result<String> {
    outside.fetch(what).await
}

/// An answer that never comes, waited for by tokio's clock and by reqwest's.
async fn patience(State(outside): State<'_, Outside>) -> Json<(bool, bool)> {
    let elapsed = timeout(SHORT, outside.fetch("never")).await.is_err();
    let never = format!("http://{}/never", outside.service);
    let failed = outside.web.get(never).timeout(SHORT).send().await;
    Json((elapsed, failed.is_err_and(|error| error.is_timeout())))
}

/// Everything at once, and from tasks of its own as well.
async fn joined(State(outside): State<'_, Outside>) -> Result<Json<i64>, Problem> {
    let web = outside.web.clone();
    let url = format!("http://{}/kept", outside.service);
    let spawned = tokio::spawn(async move { web.get(url).send().await?.text().await });
    let (count, fetched, late, spawned) = tokio::join!(
        outside.count(),
        outside.fetch("kept"),
        timeout(SHORT, pending::<Infallible>()),
        spawned
    );
    fetched?.parse::<usize>()?;
    spawned??.parse::<usize>()?;
    assert!(late.is_err());
    Ok(Json(count?))
}

struct Routes {
    chain: DefaultChain,
    state: Outside,
}

static ROUTES: [Route; 5] = [
    Route::new("abandon", "POST", "/abandon", "clients::abandon"),
    Route::new("add", "POST", "/add", "clients::add"),
    Route::new("fetch", "GET", "/fetch/{what}", "clients::fetch").with_params(&["what"]),
    Route::new("joined", "GET", "/joined", "clients::joined"),
    Route::new("patience", "GET", "/patience", "clients::patience"),
];
static FETCH: Node = Node::new().leaf(&Leaf::new(&[("GET", 2)]));
static ROOT: Node = Node::new().literals(&[
    Node::literal("abandon").leaf(&Leaf::new(&[("POST", 0)])),
    Node::literal("add").leaf(&Leaf::new(&[("POST", 1)])),
    Node::literal("fetch").param(&FETCH),
    Node::literal("joined").leaf(&Leaf::new(&[("GET", 3)])),
    Node::literal("patience").leaf(&Leaf::new(&[("GET", 4)])),
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
        let state = codegen::state(&self.0.state);
        match codegen::found(head) {
            Match::Route(0) => abandon(state).await.respond(cx.reply()),
            Match::Route(1) => {
                let (body, reply) = cx.split();
                let last = codegen::last();
                let bytes = codegen::read(body, last.wants_body(head)?).await?;
                add(state, last.make(head, bytes)?).await.respond(reply)
            }
            Match::Route(2) => fetch(state, codegen::head(head)?).await.respond(cx.reply()),
            Match::Route(3) => joined(state).await.respond(cx.reply()),
            Match::Route(4) => patience(state).await.respond(cx.reply()),
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}

fn app(file: &File) -> TestApp {
    TestApp::build(async || {
        Ok::<_, Box<dyn Error + Send + Sync>>(Routes {
            chain: DefaultChain::default(),
            state: Outside::build(file).await?,
        })
    })
}

fn add_to(app: &TestApp, note: &str) -> usize {
    app.post("/add")
        .header("content-type", "text/plain; charset=utf-8")
        .body(note)
        .send()
        .assert_status(200)
        .json()
}

/// Runs `request` for every client and each of its requests, from all clients at once.
fn crowd<T: Send>(request: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let request = &request;
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| scope.spawn(move || (0..EACH).map(|at| request(client, at)).collect::<Vec<_>>()))
            .collect();
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    })
}

#[test]
fn transactions_of_all_workers_follow_one_another() {
    let file = File::new();
    let app = app(&file);
    let mut counts = crowd(|client, at| add_to(&app, &format!("{client} {at}")));
    // Each has seen what those before it committed, and nothing else.
    counts.sort_unstable();
    assert!(counts.into_iter().eq(1..=CLIENTS * EACH));
}

#[test]
fn a_transaction_that_fails_or_is_dropped_leaves_nothing() {
    let file = File::new();
    let app = app(&file);
    assert_eq!(add_to(&app, "once"), 1);
    // More often than there are connections in the pool: each comes back.
    for _ in 0..3 * POOL {
        app.post("/add")
            .header("content-type", "text/plain; charset=utf-8")
            .body("once")
            .send()
            .assert_problem(&kind::INTERNAL);
        app.post("/abandon").send().assert_status(200).assert_json(1);
    }
    assert_eq!(add_to(&app, "twice"), 2);
}

#[test]
fn handlers_use_the_connection_that_the_constructor_opened() {
    let file = File::new();
    let app = app(&file);
    // It may be on its way back to the client's pool; any other that is opened meanwhile closes.
    let reused = || app.get("/fetch/first").send().assert_status(200).text() == "0";
    for _ in 0..3 {
        assert!((0..1000).any(|_| reused()));
    }
}

#[test]
fn requests_of_all_workers_share_connections() {
    let file = File::new();
    let app = app(&file);
    let connections = crowd(|_, _| -> usize {
        let answer = app.get("/fetch/kept").send().assert_status(200);
        answer.text().parse().unwrap()
    });
    let opened = 1 + connections.iter().max().unwrap();
    assert!(opened < connections.len(), "{opened} connections");
}

#[test]
fn a_service_that_does_not_answer_is_given_up() {
    let file = File::new();
    let app = app(&file);
    app.get("/patience").send().assert_status(200).assert_json((true, true));
    app.get("/fetch/kept").send().assert_status(200);
}

#[test]
fn a_handler_awaits_all_of_them_at_once() {
    let file = File::new();
    let app = app(&file);
    assert_eq!(add_to(&app, "one"), 1);
    for count in crowd(|_, _| app.get("/joined").send().assert_status(200).json::<i64>()) {
        assert_eq!(count, 1);
    }
}
