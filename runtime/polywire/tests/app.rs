//! `App` where it can't start. Each case runs in a process of its own, which is this test binary once more; what a running
//! application does is tested with `examples/probe`.

use std::process::{Command, ExitCode};

use polywire::App;
use polywire::testing::Nothing;

/// Names the case that a child process runs.
const CASE: &str = "POLYWIRE_TEST_CASE";

/// A child process that runs a case, and what it says on stderr.
fn stderr_of(case: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture", "--quiet"])
        .env(CASE, case)
        .env_remove("POLYWIRE_LISTEN")
        .env_remove("POLYWIRE_LOG")
        .output()
        .unwrap();
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

#[test]
fn a_constructor_that_fails_is_one_line_with_its_causes() {
    assert_eq!(
        stderr_of("constructor"),
        "error: the application can't start: no database; at db:5432: connection refused\n"
    );
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
