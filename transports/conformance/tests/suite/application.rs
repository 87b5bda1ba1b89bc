//! The application under test: the probe's routes, and some that pause, panic, answer at length or show what they were sent. It knows
//! no transport; [`crate::transport`] binds it to each.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, mpsc};
use std::time::Duration;

use bytes::Bytes;
use pw_core::codegen;
use pw_core::route::{Leaf, Node};
use pw_core::{
    Body, Exchange, FieldValue, Json, Match, Next, Path, Problem, Query, Reply, RequestHead, Respond, Route, Table,
    Upgrade,
};
use tokio::sync::Semaphore;

use crate::flow::{self, Flow};
use crate::lasting;
use crate::strange;
use crate::world::World;

/// A body limit of one route's own.
pub const SMALL: usize = 1024;
/// The size of `/large`, which is answered by reference.
pub const LARGE: usize = 64 << 20;
/// The body limit of `/upload`: none that a test would reach.
pub const UPLOAD: usize = 1 << 40;
/// The size of `/page`, which is copied.
pub const PAGE: usize = 64 << 10;
/// The timeout of `/late`.
pub const LATE: Duration = Duration::from_millis(150);

static ROUTES: [Route; 35] = [
    Route::new("index", "GET", "/", "suite::index"),
    Route::new("ping", "GET", "/ping", "suite::ping"),
    Route::new("user", "GET", "/users/{id}", "suite::user").with_params(&["id"]),
    Route::new("search", "GET", "/search", "suite::search"),
    Route::new("echo", "POST", "/echo", "suite::echo"),
    Route::new("small", "POST", "/small", "suite::small").with_body_limit(SMALL),
    Route::new("ignore", "POST", "/ignore", "suite::ignore"),
    Route::new("pause", "GET", "/pause", "suite::pause"),
    Route::new("turns", "GET", "/turns", "suite::turns"),
    Route::new("panic", "GET", "/panic", "suite::panic"),
    Route::new("panic_late", "POST", "/panic", "suite::panic_late"),
    Route::new("large", "GET", "/large", "suite::large"),
    Route::new("page", "GET", "/page", "suite::page"),
    Route::new("late", "GET", "/late", "suite::late").with_timeout(LATE),
    Route::new("mirror", "GET", "/mirror/{name}", "suite::mirror").with_params(&["name"]),
    Route::new("mirror_body", "POST", "/mirror/{name}", "suite::mirror").with_params(&["name"]),
    Route::new("seen", "GET", "/seen/{*rest}", "suite::seen").with_params(&["rest"]),
    Route::new("seen_put", "PUT", "/seen/{*rest}", "suite::seen").with_params(&["rest"]),
    Route::new("status", "GET", "/status/{code}", "suite::status").with_params(&["code"]),
    Route::new("bytes", "GET", "/bytes/{count}", "suite::bytes").with_params(&["count"]),
    Route::new("fields", "GET", "/fields", "suite::fields"),
    Route::new("close", "GET", "/close", "suite::close"),
    Route::new("peek", "POST", "/peek", "suite::peek"),
    Route::new("twice", "POST", "/twice", "suite::twice"),
    Route::new("strange", "GET", "/strange/{name}", "suite::strange").with_params(&["name"]),
    Route::new("strange_body", "POST", "/strange/{name}", "suite::strange").with_params(&["name"]),
    Route::new("await", "GET", "/await/{what}", "suite::await").with_params(&["what"]),
    Route::new("flow", "GET", "/flow/{name}", "suite::flow").with_params(&["name"]),
    Route::new("flow_body", "POST", "/flow/{name}", "suite::flow").with_params(&["name"]),
    Route::new("file", "GET", "/static/{*path}", "suite::file").with_params(&["path"]),
    Route::new("ws", "GET", "/ws", "suite::ws"),
    Route::new("events", "GET", "/events", "suite::events"),
    Route::new("count", "GET", "/count/{last}", "suite::count").with_params(&["last"]),
    Route::new("download", "GET", "/download/{bytes}", "suite::download").with_params(&["bytes"]),
    Route::new("upload", "POST", "/upload", "suite::upload").with_body_limit(UPLOAD),
];

static ROOT: Node = Node::new().slash(&Leaf::new(&[("GET", 0)])).literals(&[
    Node::literal("await").param(&Node::new().leaf(&Leaf::new(&[("GET", 26)]))),
    Node::literal("bytes").param(&Node::new().leaf(&Leaf::new(&[("GET", 19)]))),
    Node::literal("close").leaf(&Leaf::new(&[("GET", 21)])),
    Node::literal("count").param(&Node::new().leaf(&Leaf::new(&[("GET", 32)]))),
    Node::literal("download").param(&Node::new().leaf(&Leaf::new(&[("GET", 33)]))),
    Node::literal("echo").leaf(&Leaf::new(&[("POST", 4)])),
    Node::literal("events").leaf(&Leaf::new(&[("GET", 31)])),
    Node::literal("fields").leaf(&Leaf::new(&[("GET", 20)])),
    Node::literal("flow").param(&Node::new().leaf(&Leaf::new(&[("GET", 27), ("POST", 28)]))),
    Node::literal("ignore").leaf(&Leaf::new(&[("POST", 6)])),
    Node::literal("large").leaf(&Leaf::new(&[("GET", 11)])),
    Node::literal("late").leaf(&Leaf::new(&[("GET", 13)])),
    Node::literal("mirror").param(&Node::new().leaf(&Leaf::new(&[("GET", 14), ("POST", 15)]))),
    Node::literal("page").leaf(&Leaf::new(&[("GET", 12)])),
    Node::literal("panic").leaf(&Leaf::new(&[("GET", 9), ("POST", 10)])),
    Node::literal("pause").leaf(&Leaf::new(&[("GET", 7)])),
    Node::literal("peek").leaf(&Leaf::new(&[("POST", 22)])),
    Node::literal("ping").leaf(&Leaf::new(&[("GET", 1)])),
    Node::literal("search").leaf(&Leaf::new(&[("GET", 3)])),
    Node::literal("seen").rest(&Leaf::new(&[("GET", 16), ("PUT", 17)])),
    Node::literal("small").leaf(&Leaf::new(&[("POST", 5)])),
    Node::literal("static").rest(&Leaf::new(&[("GET", 29)])),
    Node::literal("status").param(&Node::new().leaf(&Leaf::new(&[("GET", 18)]))),
    Node::literal("strange").param(&Node::new().leaf(&Leaf::new(&[("GET", 24), ("POST", 25)]))),
    Node::literal("turns").leaf(&Leaf::new(&[("GET", 8)])),
    Node::literal("twice").leaf(&Leaf::new(&[("POST", 23)])),
    Node::literal("upload").leaf(&Leaf::new(&[("POST", 34)])),
    Node::literal("users").param(&Node::new().leaf(&Leaf::new(&[("GET", 2)]))),
    Node::literal("ws").leaf(&Leaf::new(&[("GET", 30)])),
]);

/// The routes.
pub static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);

/// What `/large` answers with.
static CONTENT: LazyLock<Bytes> = LazyLock::new(|| vec![0; LARGE].into());

/// What the paused handlers tell the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A handler has begun to wait.
    Paused,
    /// It goes on.
    Resumed,
    /// It was dropped before it could.
    Cancelled,
}

/// The application.
#[derive(Debug)]
pub struct Application {
    /// A permit for each paused handler that may go on.
    resume: Arc<Semaphore>,
    events: mpsc::Sender<Event>,
    /// How many requests reached a handler or the framework's own answer.
    handled: AtomicUsize,
    /// What handlers await, where a test asked for it.
    world: OnceLock<World>,
    /// Of what comes and leaves over time.
    pub flow: Flow,
}

impl Application {
    /// The application, and what its paused handlers tell.
    pub fn new() -> (Self, mpsc::Receiver<Event>) {
        let (events, receiver) = mpsc::channel();
        let application = Self {
            resume: Arc::new(Semaphore::new(0)),
            events,
            handled: AtomicUsize::new(0),
            world: OnceLock::new(),
            flow: Flow::default(),
        };
        (application, receiver)
    }

    /// Builds what handlers await, on the runtime that is entered.
    pub async fn build_world(&self) {
        let world = World::build().await.expect("a local socket can be bound");
        self.world.set(world).expect("it is built once");
    }

    /// Lets this many paused handlers go on.
    pub fn resume(&self, handlers: usize) {
        self.resume.add_permits(handlers);
    }

    /// How many requests were handled so far.
    pub fn handled(&self) -> usize {
        self.handled.load(Ordering::SeqCst)
    }

    /// Waits until no further request is handled for a while.
    pub fn expect_rest(&self) {
        let mut before = 0;
        while std::mem::replace(&mut before, self.handled()) != self.handled() || before == 0 {
            std::thread::park_timeout(Duration::from_millis(200));
        }
    }

    /// What lets paused handlers go on.
    pub fn permits(&self) -> Arc<Semaphore> {
        self.resume.clone()
    }

    /// Where to tell the test.
    pub fn events(&self) -> mpsc::Sender<Event> {
        self.events.clone()
    }

    fn tell(&self, event: Event) {
        // A test that has ended listens no more.
        let _ = self.events.send(event);
    }

    /// Waits until the test lets it go on.
    pub async fn pause(&self) -> &'static str {
        struct Guard<'a>(&'a Application, Event);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.tell(self.1);
            }
        }
        let mut guard = Guard(self, Event::Cancelled);
        self.tell(Event::Paused);
        self.resume
            .acquire()
            .await
            .expect("the semaphore is never closed")
            .forget();
        guard.1 = Event::Resumed;
        "resumed"
    }
}

/// The end of the chain.
pub struct Handlers<'a>(pub &'a Application);

impl<E: Upgrade> Next<E> for Handlers<'_> {
    async fn run(self, head: &E::Head, cx: &mut E) -> Result<(), Problem> {
        self.0.handled.fetch_add(1, Ordering::SeqCst);
        match codegen::found(head) {
            Match::Route(0) => "ok".respond(cx.reply()),
            Match::Route(1) => Json(Ping { ok: true }).respond(cx.reply()),
            Match::Route(2) => {
                let Path(id): Path<u64> = codegen::head(head)?;
                Json(User { id, name: "ann" }).respond(cx.reply())
            }
            Match::Route(3) => {
                let Query(search): Query<Search<'_>> = codegen::head(head)?;
                Json(search).respond(cx.reply())
            }
            Match::Route(4 | 5) => {
                let (body, reply) = cx.split();
                body.read(usize::MAX).await?.respond(reply)
            }
            Match::Route(6) => "ignored".respond(cx.reply()),
            Match::Route(7) => self.0.pause().await.respond(cx.reply()),
            Match::Route(8) => {
                for _ in 0..3 {
                    tokio::task::yield_now().await;
                }
                "turned".respond(cx.reply())
            }
            Match::Route(9) => panic("this handler always does".to_owned()),
            Match::Route(10) => {
                let (body, reply) = cx.split();
                let len = body.read(usize::MAX).await?.len();
                reply.buffer().extend_from_slice(b"what nobody sees");
                panic(format!("this handler does after {len} bytes"))
            }
            Match::Route(11) => CONTENT.clone().respond(cx.reply()),
            Match::Route(12) => [b'p'; PAGE].as_slice().respond(cx.reply()),
            Match::Route(13) => {
                let late = async {
                    let text = self.0.pause().await;
                    Ok(text)
                };
                codegen::within(LATE, late).await?.respond(cx.reply())
            }
            Match::Route(14 | 15) => mirror(head, cx).await,
            Match::Route(16 | 17) => seen(head, cx).await,
            Match::Route(18) => {
                let Path(code): Path<u16> = codegen::head(head)?;
                let status = http::StatusCode::from_u16(code)
                    .ok()
                    .filter(|code| !code.is_informational());
                let status = status.ok_or_else(|| Problem::bad_request("this is no final status"))?;
                (status, "whatever the status").respond(cx.reply())
            }
            Match::Route(19) => {
                let Path(count): Path<usize> = codegen::head(head)?;
                let count = count.min(LARGE);
                let digits = b"0123456789".repeat(count.div_ceil(10));
                cx.reply().buffer().extend_from_slice(&digits[..count]);
                Ok(())
            }
            Match::Route(20) => fields(cx.reply()),
            Match::Route(21) => {
                cx.reply().close_connection();
                "the last".respond(cx.reply())
            }
            Match::Route(22) => {
                // What can't be read is no reason not to answer.
                let (body, reply) = cx.split();
                let read = body
                    .read(10)
                    .await
                    .map_or_else(|problem| problem.status().as_u16().into(), <[u8]>::len);
                read.to_string().respond(reply)
            }
            Match::Route(23) => {
                let (body, reply) = cx.split();
                let first = body.read(usize::MAX).await?.to_vec();
                let again = body.read(usize::MAX).await?;
                assert_eq!(first, again, "a body reads the same twice");
                again.respond(reply)
            }
            Match::Route(26) => {
                let Path(what): Path<&str> = codegen::head(head)?;
                let world = self
                    .0
                    .world
                    .get()
                    .ok_or_else(|| Problem::internal("the world was not asked for"))?;
                world.awaited(what).await?.respond(cx.reply())
            }
            Match::Route(27 | 28) => flow::run(self.0, head, cx).await,
            Match::Route(29) => lasting::file(head, cx),
            Match::Route(30) => lasting::echo(head, cx),
            Match::Route(31) => lasting::events(head, cx),
            Match::Route(32) => lasting::count(head, cx),
            Match::Route(33) => lasting::download(head, cx),
            Match::Route(34) => lasting::upload(cx).await,
            Match::Route(24 | 25) => strange::run(self.0, head, cx).await,
            _ => codegen::unrouted(head, cx.reply()),
        }
    }
}

/// Panics without the hook, whose messages would bury what a failing test says.
fn panic(message: String) -> ! {
    std::panic::resume_unwind(Box::new(message))
}

/// Path, query, a field and the body of a request, a line each: what one client must never see of another.
async fn mirror<E: Exchange>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let Path(name): Path<&str> = codegen::head(head)?;
    let (body, reply) = cx.split();
    let body = body.read(usize::MAX).await?;
    let out = reply.buffer();
    for part in [
        name.as_bytes(),
        head.query().as_bytes(),
        head.field("x-marker").unwrap_or_default(),
        body,
    ] {
        out.extend_from_slice(part);
        out.push(b'\n');
    }
    Ok(())
}

/// All that a handler can see of a request but its peer.
async fn seen<E: Exchange>(head: &E::Head, cx: &mut E) -> Result<(), Problem> {
    let Path(rest): Path<&str> = codegen::head(head)?;
    let (body, reply) = cx.split();
    let body = body.read(usize::MAX).await?;
    let mut text = format!(
        "{} {} ?{} @{} {:?} {rest:?}\n",
        head.method(),
        head.path(),
        head.query(),
        head.host(),
        head.version(),
    );
    for (name, value) in head.fields() {
        text += &format!("{}: {}\n", name.escape_ascii(), value.escape_ascii());
    }
    text += &format!("{}", body.escape_ascii());
    text.respond(reply)
}

/// Fields of several kinds: given twice, empty, long, not ASCII, replaced.
fn fields(reply: &mut Reply) -> Result<(), Problem> {
    let long = "l".repeat(3000);
    for (name, value) in [
        ("set-cookie", &b"a=1"[..]),
        ("x-empty", b""),
        ("set-cookie", b"b=2"),
        ("x-long", long.as_bytes()),
        ("x-text", b"caf\xe9"),
    ] {
        let value = FieldValue::from_bytes(value).map_err(Problem::internal)?;
        reply.append(http::HeaderName::from_static(name), value);
    }
    reply.insert(http::HeaderName::from_static("x-empty"), FieldValue::from(7));
    "fields".respond(reply)
}

#[derive(serde::Serialize)]
struct Ping {
    ok: bool,
}

#[derive(serde::Serialize)]
struct User {
    id: u64,
    name: &'static str,
}

#[derive(serde::Deserialize, serde::Serialize)]
struct Search<'a> {
    #[serde(default)]
    q: &'a str,
    #[serde(default = "first_page")]
    page: u64,
}

const fn first_page() -> u64 {
    1
}
