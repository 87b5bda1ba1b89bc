//! An application outside this repository, with an `xtask` of three lines: what its author sees from the first build on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

const MAIN: &str = r#"use polywire::prelude::*;

polywire::generated!();

mod users;

#[route(GET, "/")]
async fn index() -> &'static str {
    "hello"
}

fn main() -> ExitCode {
    App::new(generated::Routes::new()).run()
}
"#;

const USERS: &str = r#"use polywire::prelude::*;

#[route(GET, "/users/{id}")]
pub(crate) async fn show_user(Path(id): Path<u64>) -> String {
    id.to_string()
}
"#;

const ACCOUNTS: &str = r#"use polywire::prelude::*;

polywire::generated! { fragment }

#[route(GET, "/accounts")]
pub async fn list() -> &'static str {
    "accounts"
}
"#;

#[test]
fn an_application_from_its_first_build_on() {
    let app = Application::new();

    let said = app.refuses_to_build(&["src/generated does not exist yet: run `cargo xtask generate`"]);
    // It and cargo's own summary, though handlers and `main` name what is not there.
    assert_eq!(
        said.lines().filter(|line| line.starts_with("error")).count(),
        2,
        "{said}"
    );
    app.generates("outside: 2 routes, wrote src/generated/mod.rs, fast.rs, hyper.rs in ");
    app.builds();
    app.generates("outside: 2 routes, unchanged in ");

    // Whatever transport is built in; without one, the compiler says what to do.
    for features in [&["transport-fast"][..], &["transport-fast", "transport-hyper"]] {
        app.depends_on_polywire(features);
        app.builds();
    }
    app.depends_on_polywire(&[]);
    app.refuses_to_build(&[
        "this build of polywire has no transport, so `Routes` can't be served",
        "`--features transport-fast`",
        "`--features transport-hyper`",
        " --> src/main.rs:13:14",
    ]);
    app.depends_on_polywire(&["transport-hyper"]);

    // Changed options.
    let options = "the options of `polywire::generated!` are not those of src/generated: run `cargo xtask generate`";
    app.write(
        "src/main.rs",
        &MAIN.replace("generated!();", "generated! { crates: [accounts] }"),
    );
    app.refuses_to_build(&[options]);
    let with_state = MAIN
        .replace("generated!();", "generated! { state: Shop }\n\nstruct Shop;")
        .replace("Routes::new()", "Routes::new(Shop)");
    app.write("src/main.rs", &with_state);
    app.refuses_to_build(&[options]);
    app.write("src/main.rs", &with_state.replace("struct Shop;", ""));
    app.refuses_to_build(&["cannot find type `Shop`", " --> src/main.rs:3:31"]);

    // A generated file that is gone.
    fs::remove_file(app.folder.join("src/generated/hyper.rs")).expect("it was written");
    app.write("src/main.rs", MAIN);
    app.refuses_to_build(&["E0583", "// gone? Run `cargo xtask generate`"]);
    app.generates("outside: 2 routes, wrote src/generated/hyper.rs in ");

    // A module that was forgotten: the compiler does not see it.
    app.write("src/users/forgotten.rs", &USERS.replace("/users", "/forgotten"));
    app.builds();
    let refused = app.cargo(&["xtask", "generate"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains(" --> src/users/forgotten.rs:3:1"), "{said}");
    assert!(
        said.contains("help: write `pub(crate) mod forgotten;` in src/users.rs"),
        "{said}"
    );
    fs::remove_dir_all(app.folder.join("src/users")).expect("it was written");

    // A changed attribute, in place.
    app.write("src/main.rs", &MAIN.replace("GET, \"/\"", "GET, \"/hello\""));
    app.refuses_to_build(&["route `index` is not in src/generated: run `cargo xtask generate`"]);
    let check = app.cargo(&["xtask", "generate", "--check"]);
    assert_eq!(check.status.code(), Some(1));
    let diff = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(
        diff.contains("-    Route::new(\"index\", \"GET\", \"/\", \"outside::index\"),"),
        "{diff}"
    );
    assert!(
        diff.contains("+    Route::new(\"index\", \"GET\", \"/hello\", \"outside::index\"),"),
        "{diff}"
    );

    // A handler that is gone.
    app.write("src/main.rs", MAIN);
    app.write("src/users.rs", "");
    app.refuses_to_build(&["E0425", "// src/users.rs; moved or gone? Run `cargo xtask generate`"]);

    // A handler that has moved.
    app.write(
        "src/main.rs",
        &MAIN.replace("mod users;", "mod users {\n    pub(crate) mod one;\n}"),
    );
    app.write("src/users/one.rs", USERS);
    app.refuses_to_build(&["E0425", "// src/users.rs; moved or gone? Run `cargo xtask generate`"]);
    app.generates("outside: 2 routes, wrote src/generated/mod.rs, fast.rs, hyper.rs in ");
    app.builds();

    // A mistake: the command says where, and the generated code stays.
    app.write("src/users/one.rs", &USERS.replace("pub(crate) ", ""));
    let refused = app.cargo(&["xtask", "generate"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains(" --> src/users/one.rs:4:10"), "{said}");
    assert!(said.contains("help: write `pub(crate) async fn show_user`"), "{said}");
    assert_eq!(app.cargo(&["xtask", "generat"]).status.code(), Some(2));
    app.write("src/users/one.rs", USERS);

    // The routes of another crate: generated with the application, and known to it.
    app.write("accounts/src/lib.rs", ACCOUNTS);
    app.write(
        "src/main.rs",
        &MAIN.replace("generated!();", "generated! { crates: [accounts] }"),
    );
    app.write("src/users.rs", USERS);
    fs::remove_dir_all(app.folder.join("src/users")).expect("it was written");
    app.generates("accounts: 1 route, wrote src/generated/mod.rs in ");
    app.builds();
    app.write("accounts/src/lib.rs", &ACCOUNTS.replace("/accounts", "/accounts/all"));
    app.refuses_to_build(&["route `list` is not in src/generated: run `cargo xtask generate`"]);
    let generated = app.cargo(&["xtask", "generate", "-p", "accounts"]);
    assert!(
        generated.status.success(),
        "{}",
        String::from_utf8_lossy(&generated.stderr)
    );
    app.refuses_to_build(&["the routes of `accounts` have changed: run `cargo xtask generate`"]);
    app.generates("accounts: 1 route, unchanged in ");
    app.builds();
}

/// What all its packages have.
const PACKAGE: &str = "version = \"0.0.0\"\nedition = \"2024\"\n";

struct Application {
    folder: PathBuf,
}

impl Application {
    fn new() -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside");
        let app = Self { folder };
        for stale in ["src", "accounts", "xtask", ".cargo"] {
            // Their target folder stays, for the next run.
            let _ = fs::remove_dir_all(app.folder.join(stale));
        }
        let repository = repository();
        if let Ok(lock) = fs::read_to_string(repository.join("Cargo.lock")) {
            app.write("Cargo.lock", &lock);
        }
        app.depends_on_polywire(&["transport-hyper"]);
        app.write(
            "xtask/Cargo.toml",
            &format!(
                "[package]\nname = \"xtask\"\n{PACKAGE}\n[dependencies]\npw-gen = {{ path = {:?} }}\n",
                repository.join("pw-gen")
            ),
        );
        app.write(
            "accounts/Cargo.toml",
            &format!(
                "[package]\nname = \"accounts\"\n{PACKAGE}\n[dependencies]\npolywire = {{ path = {:?} }}\n",
                repository.join("runtime/polywire")
            ),
        );
        app.write("accounts/src/lib.rs", "");
        app.write(
            "xtask/src/main.rs",
            "fn main() -> std::process::ExitCode {\n    pw_gen::cli()\n}\n",
        );
        app.write(
            ".cargo/config.toml",
            "[alias]\nxtask = \"run --quiet --package xtask --\"\n",
        );
        app.write("src/main.rs", MAIN);
        app.write("src/users.rs", USERS);
        app
    }

    /// Writes Cargo.toml.
    fn depends_on_polywire(&self, features: &[&str]) {
        self.write(
            "Cargo.toml",
            &format!(
                "[workspace]\nmembers = [\"accounts\", \"xtask\"]\n\n[package]\nname = \"outside\"\n{PACKAGE}\n[dependencies]\n\
                 accounts = {{ path = \"accounts\" }}\npolywire = {{ path = {:?}, features = {features:?} }}\n\n[profile.dev]\ndebug = false\n",
                repository().join("runtime/polywire")
            ),
        );
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("the temporary folder takes folders");
        fs::write(path, text).expect("the temporary folder takes files");
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        let mut cargo = Command::new(env::var_os("CARGO").expect("cargo runs its tests with it"));
        cargo
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TERM_COLOR", "never")
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .output()
            .expect("cargo runs")
    }

    fn builds(&self) {
        let built = self.cargo(&["check"]);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }

    fn refuses_to_build(&self, sentences: &[&str]) -> String {
        let built = self.cargo(&["check"]);
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(!built.status.success(), "it builds");
        for sentence in sentences {
            assert!(said.contains(sentence), "`{sentence}` is not in:\n{said}");
        }
        said.into_owned()
    }

    fn generates(&self, summary: &str) {
        let generated = self.cargo(&["xtask", "generate"]);
        let said = String::from_utf8_lossy(&generated.stdout);
        assert!(
            said.starts_with(summary),
            "{said}{}",
            String::from_utf8_lossy(&generated.stderr)
        );
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("pw-gen is in the workspace")
}
