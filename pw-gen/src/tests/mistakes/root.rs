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

#[test]
fn a_typing_error_beside_routes() {
    check(
        r##"
//- src/main.rs
polywire::generated! { sate: u64 }
#[polywire::route(GET, "/")]
async fn index() {}
"##,
        expect![[r#"
            error: `generated!` must not have `sate`: there is nothing of that name
             --> src/main.rs:1:24
              |
            1 | polywire::generated! { sate: u64 }
              |                        ^^^^
            help: did you mean `state`?
        "#]],
    );
}

#[test]
fn routes_in_library_and_binary_and_generated_in_the_binary() {
    check(
        r##"
//- src/lib.rs
#[polywire::route(GET, "/")]
async fn index() {}
//- src/main.rs
polywire::generated!();
#[polywire::route(GET, "/ping")]
async fn ping() {}
"##,
        expect![[r#"
            error: routes must be in one crate: `src/main.rs` has some, and so has `src/lib.rs`
             --> src/main.rs:2:1
              |
            2 | #[polywire::route(GET, "/ping")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: `src/lib.rs`
             --> src/lib.rs:1:1
              |
            1 | #[polywire::route(GET, "/")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: move all of them to the library, and let src/main.rs run it: `App::new(app::generated::Routes::new()).run()`
        "#]],
    );
}

#[test]
fn state_that_is_not_named() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod users;
struct Shop;
#[polywire::route(GET, "/unit")]
async fn unit(State(()): State<'_, ()>) {}
//- src/users.rs
#[polywire::route(GET, "/users")]
pub(crate) async fn users(State(shop): State<'_, Shop>) {}
#[polywire::route(GET, "/more")]
pub(crate) async fn more(State(shop): State<'_, Shop>) {}
"##,
        expect![[r#"
            error: route `users` takes a `State`, and `polywire::generated!` names none
             --> src/users.rs:2:40
              |
            2 | pub(crate) async fn users(State(shop): State<'_, Shop>) {}
              |                                        ^^^^^^^^^^^^^^^
            note: the application's state is named here
             --> src/main.rs:1:1
              |
            1 | polywire::generated!();
              | ^^^^^^^^^^^^^^^^^^^
            help: write `state: Shop` there, a type of the crate root that is or has what handlers borrow
        "#]],
    );
}
