//! `polywire::generated!` and the crate root it stands in.

use expect_test::expect;

use super::{SourceTree, check};

#[test]
fn routes_in_library_and_binary() {
    check(
        r##"
//- src/lib.rs
polywire::generated!();
#[polywire::route(GET, "/")]
async fn index() {}
//- src/main.rs
#[polywire::route(GET, "/ping")]
async fn ping() {}
"##,
        expect![[r#"
            error: routes must be in one crate: `src/main.rs` has some, and so has `src/lib.rs`
             --> src/main.rs:1:1
              |
            1 | #[polywire::route(GET, "/ping")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: `src/lib.rs`
             --> src/lib.rs:2:1
              |
            2 | #[polywire::route(GET, "/")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: move all of them to the library, and let src/main.rs run it: `App::new(app::generated::Routes::new()).run()`
        "#]],
    );
}

#[test]
fn no_generated() {
    check(
        r##"
//- src/main.rs
mod users;
//- src/users.rs
#[polywire::route(GET, "/")]
pub(crate) async fn index() {}
"##,
        expect![[r#"
            error: `src/main.rs` has routes and no `polywire::generated!`
             --> src/users.rs:1:1
              |
            1 | #[polywire::route(GET, "/")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: its macro declares the module that this command writes
            help: add `polywire::generated!();` to src/main.rs
        "#]],
    );
}

#[test]
fn generated_twice() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
polywire::generated!();
"##,
        expect![[r#"
            error: `polywire::generated!` stands here twice
             --> src/main.rs:2:1
              |
            2 | polywire::generated!();
              | ^^^^^^^^^^^^^^^^^^^
            note: the first is here
             --> src/main.rs:1:1
              |
            1 | polywire::generated!();
              | ^^^^^^^^^^^^^^^^^^^
            help: remove one of the two
        "#]],
    );
}

#[test]
fn generated_in_a_module() {
    check(
        r##"
//- src/main.rs
mod users { polywire::generated!(); }
#[polywire::route(GET, "/")]
async fn index() {}
"##,
        expect![[r#"
            error: `polywire::generated!` must stand in the crate root
             --> src/main.rs:1:13
              |
            1 | mod users { polywire::generated!(); }
              |             ^^^^^^^^^^^^^^^^^^^
            help: move it to the file that cargo builds, src/main.rs or src/lib.rs

            error: `src/main.rs` has routes and no `polywire::generated!`
             --> src/main.rs:2:1
              |
            2 | #[polywire::route(GET, "/")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: its macro declares the module that this command writes
            help: add `polywire::generated!();` to src/main.rs
        "#]],
    );
}

#[test]
fn generated_with_a_typing_error() {
    check(
        r##"
//- src/main.rs
polywire::generated! { stat: AppState }
"##,
        expect![[r#"
            error: `generated!` must not have `stat`: there is nothing of that name
             --> src/main.rs:1:24
              |
            1 | polywire::generated! { stat: AppState }
              |                        ^^^^
            help: did you mean `state`?
        "#]],
    );
}

/// In Cargo.toml, which a source tree has not.
#[test]
fn polywire_by_another_name() {
    let tree = |text| {
        let tree = SourceTree::new(text);
        let mut app = tree.package("app", "");
        app.polywire_renamed = Some("pw".to_owned());
        crate::check::check(&tree, &app)
    };
    let errors = tree("//- src/main.rs\npw::generated!();\n#[pw::route(GET, \"/\")]\nasync fn index() {}")
        .expect_err("generated code names `::polywire`");
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    expect![[r#"
        error: `app` must depend on polywire by its own name, not as `pw`
        note: generated code and the macros name `::polywire`
        help: write `polywire = { .. }` for `pw = { package = "polywire", .. }` in its Cargo.toml
    "#]]
    .assert_eq(&errors.concat());
    assert!(tree("//- src/lib.rs\npub use pw::Problem;").is_ok_and(|set| set.is_none()));
}
