//! `App`: what its constructor may count on, and where it can't start. Each case runs in a process of its own, which is this
//! test binary once more; what else a running application does is tested with `examples/probe`.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitCode, Stdio};

#[cfg(feature = "transport-fast")]
use polywire::codegen::fast::{Exchange, Head, Service};
#[cfg(not(feature = "transport-fast"))]
use polywire::codegen::hyper::{Exchange, Head, Service};
use polywire::codegen::{Exchange as _, Middleware, Next, Node, Problem, Respond, Table};
use polywire::testing::Nothing;
use polywire::{App, DefaultChain};
use tokio::sync::{mpsc, oneshot};

/// Names the case that a child process runs.
const CASE: &str = "POLYWIRE_TEST_CASE";

/// A process that runs a case.
fn process(case: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--nocapture", "--quiet"])
        .env(CASE, case)
        .env_remove("POLYWIRE_LISTEN")
        .env_remove("RUST_BACKTRACE")
        .env_remove("POLYWIRE_LOG");
    command
}

/// What a case that can't start says on stderr.
fn stderr_of(case: &str) -> String {
    let output = process(case).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{case} should exit with 1: {said}");
    said
}

/// Not a test by itself: passes if the case's exit code is 1.
#[test]
fn child() {
    let Ok(case) = std::env::var(CASE) else {
        return;
    };
    let code = match &*case {
        "constructor" => App::build(refused).listen("127.0.0.1:0").run(),
        "address" => App::new(Nothing::new()).listen("localhost").run(),
        "panic" => App::build(panicking).listen("127.0.0.1:0").run(),
        "counter" => App::build(Counter::build).listen("127.0.0.1:0").run(),
        "workers" => App::new(Threads).listen("127.0.0.1:0").workers(many()).prewarm(1).run(),
        "subscriber" => {
            tracing::subscriber::set_global_default(Mine).unwrap();
            let code = App::build(refused).run();
            assert!(tracing::dispatcher::get_default(|current| current.is::<Mine>()));
            code
        }
        _ => panic!("there is no case {case}"),
    };
    assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::FAILURE));
}

async fn refused() -> Result<Nothing, Refused> {
    // It runs where it may spawn.
    tokio::spawn(async {}).await.expect("the runtime is there");
    Err(Refused(std::io::ErrorKind::ConnectionRefused.into()))
}

async fn panicking() -> Result<Nothing, Refused> {
    let panicked = std::thread::spawn(|| panic!("one\nERROR polywire: two\u{1b}[2J")).join();
    assert!(panicked.is_err());
    refused().await
}

#[derive(Debug)]
struct Refused(std::io::Error);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no database\nat db:5432")
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// State that is a task, spawned by the constructor: it counts who asks.
struct Counter {
    chain: DefaultChain,
    task: mpsc::Sender<oneshot::Sender<u64>>,
}

impl Counter {
    async fn build() -> Result<Self, std::convert::Infallible> {
        let (task, mut asked) = mpsc::channel::<oneshot::Sender<u64>>(1);
        tokio::spawn(async move {
            let mut count = 0;
            while let Some(answer) = asked.recv().await {
                count += 1;
                let _ = answer.send(count);
            }
        });
        let chain = DefaultChain::default();
        Ok(Self { chain, task })
    }
}

static ROOT: Node = Node::new();
static TABLE: Table = Table::new(&[], &ROOT, &[]);

impl Service for Counter {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, head: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        self.chain.around(head, cx, Ask(self)).await
    }
}

struct Ask<'a>(&'a Counter);

impl Next<Exchange> for Ask<'_> {
    async fn run(self, _: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        let (answer, answered) = oneshot::channel();
        self.0.task.send(answer).await?;
        answered.await?.to_string().respond(cx.reply())
    }
}

/// Answers how many threads its runtime has, and which this is.
struct Threads;

impl Service for Threads {
    fn table(&self) -> &'static Table {
        &TABLE
    }

    async fn call(&self, _: &Head, cx: &mut Exchange) -> Result<(), Problem> {
        let count = tokio::runtime::Handle::current().metrics().num_workers();
        format!("{count} {:?}", std::thread::current().id()).respond(cx.reply())
    }
}

/// More workers than there are by default.
fn many() -> usize {
    1 + std::thread::available_parallelism().map_or(1, usize::from)
}

/// A case that serves, killed at the end of the test.
struct Serving {
    process: Child,
    address: String,
}

impl Serving {
    fn new(case: &str) -> Self {
        let mut process = process(case).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(process.stderr.take().unwrap());
        let mut lines = log.lines().map(Result::unwrap);
        let start = lines
            .find(|line| line.contains("http://"))
            .expect("it says where it listens");
        let address = start.split("http://").nth(1).unwrap().split(' ').next().unwrap();
        let address = address.to_owned();
        Self { process, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The content of the answer. The connection stays.
fn ask(mut socket: &TcpStream) -> String {
    socket.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").unwrap();
    let mut answer = BufReader::new(socket);
    let head = answer.by_ref().lines().map(Result::unwrap);
    let fields: Vec<_> = head.take_while(|line| !line.is_empty()).collect();
    let length = fields.iter().find_map(|line| line.strip_prefix("content-length: "));
    let mut content = vec![0; length.expect("an answer has a length").parse().unwrap()];
    answer.read_exact(&mut content).unwrap();
    String::from_utf8(content).unwrap()
}

#[test]
fn what_the_constructor_spawns_lives_as_long_as_the_handlers() {
    let serving = Serving::new("counter");
    for count in 1..=3 {
        assert_eq!(ask(&serving.connect()), count.to_string());
    }
}

#[test]
fn as_many_threads_serve_as_the_application_says() {
    let serving = Serving::new("workers");
    // All at once: each worker has one as long as all stay.
    let sockets: Vec<_> = (0..many()).map(|_| serving.connect()).collect();
    let answers: Vec<_> = sockets.iter().map(ask).collect();
    if cfg!(feature = "transport-fast") {
        let threads: BTreeSet<_> = answers.iter().collect();
        assert_eq!(threads.len(), many(), "{answers:?}");
    } else {
        let (count, _) = answers[0].split_once(' ').unwrap();
        assert_eq!(count, many().to_string());
    }
}

#[test]
fn a_constructor_that_fails_is_one_line_with_its_causes() {
    assert_eq!(
        stderr_of("constructor"),
        "error: the application can't start: no database; at db:5432: connection refused\n"
    );
}

#[test]
fn a_panic_is_one_line_with_its_place() {
    let said = stderr_of("panic");
    let (line, rest) = said.split_once('\n').unwrap();
    assert!(
        line.contains("ERROR polywire: panicked place=") && line.contains("app.rs:"),
        "{said}"
    );
    assert!(line.contains(r"one\nERROR polywire: two\u{1b}[2J"), "{said}");
    assert!(rest.starts_with("error: the application can't start"), "{said}");
}

#[test]
fn a_wrong_address_in_the_code_names_the_place() {
    let said = stderr_of("address");
    let (place, rest) = said
        .strip_prefix("error: `listen(..)` at ")
        .unwrap()
        .split_once(" is ")
        .unwrap();
    assert!(place.contains("app.rs:"), "{place}");
    assert!(
        rest.starts_with("\"localhost\", which is no address to listen on: give "),
        "{rest}"
    );
    assert_eq!(rest.matches('\n').count(), 1, "{rest}");
}

#[test]
fn a_subscriber_of_the_applications_stays() {
    assert!(stderr_of("subscriber").starts_with("error: the application can't start"));
}

/// A subscriber that says nothing.
struct Mine;

impl tracing::Subscriber for Mine {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        false
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, _: &tracing::Event<'_>) {}

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}
