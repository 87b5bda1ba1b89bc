//! `polywire::generated!` and the crate root it stands in.

use expect_test::expect;

use super::check;

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
