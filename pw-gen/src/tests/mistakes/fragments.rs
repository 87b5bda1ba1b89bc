//! Crates that an application composes.

use expect_test::expect;

use super::check;

#[test]
fn a_fragment_that_is_not_public() {
    check(
        r##"
//- src/lib.rs
polywire::generated! { fragment }
mod users {
    #[polywire::route(GET, "/users")]
    pub async fn list() {}
}
#[polywire::route(GET, "/")]
pub(crate) async fn index() {}
"##,
        expect![[r#"
            error: generated code can't see the handler `list`: its module `users` is private
             --> src/lib.rs:4:18
              |
            4 |     pub async fn list() {}
              |                  ^^^^
            note: the applications that compose this crate must be able to name this module
             --> src/lib.rs:2:5
              |
            2 | mod users {
              |     ^^^^^
            help: write `pub mod users`

            error: generated code can't see the handler `index`: the applications that compose this crate must be able to name it
             --> src/lib.rs:7:21
              |
            7 | pub(crate) async fn index() {}
              |                     ^^^^^
            help: write `pub async fn index`
        "#]],
    );
}

#[test]
fn a_fragment_under_a_feature() {
    check(
        r##"
//- src/lib.rs
polywire::generated! { fragment }
#[cfg(feature = "admin")]
#[polywire::route(GET, "/admin")]
pub async fn admin() {}
#[cfg(unix)]
#[polywire::route(GET, "/unix")]
pub async fn unix() {}
"##,
        expect![[r#"
            error: route `admin` of a fragment must not depend on `cfg(feature = "admin")`
             --> src/lib.rs:3:1
              |
            3 | #[polywire::route(GET, "/admin")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: the application's generated code would ask for the application's features, not for this crate's
            help: move it to a crate of its own that applications compose or leave out; `unix`, `windows` and `target_..` are the same in every crate, and may stay
        "#]],
    );
}

#[test]
fn a_crate_that_is_no_dependency() {
    check(
        r##"
//- src/main.rs
polywire::generated! { crates: [acounts, billing] }
//- accounts/src/lib.rs
polywire::generated! { fragment }
"##,
        expect![[r#"
            error: `app` has no dependency `acounts`
             --> src/main.rs:1:33
              |
            1 | polywire::generated! { crates: [acounts, billing] }
              |                                 ^^^^^^^
            help: did you mean `accounts`?

            error: `app` has no dependency `billing`
             --> src/main.rs:1:42
              |
            1 | polywire::generated! { crates: [acounts, billing] }
              |                                          ^^^^^^^
            help: add it to the [dependencies] of Cargo.toml
        "#]],
    );
}

#[test]
fn a_crate_that_is_no_fragment() {
    check(
        r##"
//- src/main.rs
polywire::generated! { crates: [accounts, billing] }
//- accounts/src/lib.rs
pub fn accounts() {}
//- billing/src/lib.rs
polywire::generated!();
"##,
        expect![[r#"
            error: `accounts` has no routes to compose: it is no fragment
             --> src/main.rs:1:33
              |
            1 | polywire::generated! { crates: [accounts, billing] }
              |                                 ^^^^^^^^
            help: add `polywire::generated! { fragment }` to accounts/src/lib.rs

            error: `billing` is an application of its own: it is no fragment
             --> src/main.rs:1:43
              |
            1 | polywire::generated! { crates: [accounts, billing] }
              |                                           ^^^^^^^
            note: its own routes are generated here
             --> billing/src/lib.rs:1:1
              |
            1 | polywire::generated!();
              | ^^^^^^^^^^^^^^^^^^^
            help: write `polywire::generated! { fragment }` there, or leave it out here
        "#]],
    );
}

#[test]
fn a_fragment_that_collides() {
    check(
        r##"
//- src/main.rs
polywire::generated! { crates: [accounts] }
#[polywire::route(GET, "/accounts")]
async fn accounts() {}
#[polywire::route(GET, "/")]
async fn index() {}
//- accounts/src/lib.rs
polywire::generated! { fragment }
#[polywire::route(GET, "/accounts")]
pub async fn list() {}
#[polywire::route(GET, "/accounts/index")]
pub async fn index() {}
"##,
        expect![[r#"
            error: route `list` must not answer `GET /accounts`: route `accounts` does
             --> accounts/src/lib.rs:2:1
              |
            2 | #[polywire::route(GET, "/accounts")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: route `accounts` is here
             --> src/main.rs:2:1
              |
            2 | #[polywire::route(GET, "/accounts")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: give one of them another pattern or method, or remove it

            error: two routes have the name `index`
             --> accounts/src/lib.rs:5:14
              |
            5 | pub async fn index() {}
              |              ^^^^^
            note: the other is here
             --> src/main.rs:5:10
              |
            5 | async fn index() {}
              |          ^^^^^
            note: a route is named after its function unless it says otherwise
            help: name one of them: `#[route(GET, "/accounts/index", name = "..")]`
        "#]],
    );
}

#[test]
fn a_type_of_a_fragment_that_is_not_public() {
    check(
        r##"
//- src/lib.rs
polywire::generated! { fragment }
pub(crate) struct Account;
#[polywire::route(GET, "/accounts")]
pub async fn account() -> Json<Account> {}
"##,
        expect![[r#"
            error: generated code can't see the type `Account`, which the handler `account` takes or returns
             --> src/lib.rs:4:32
              |
            4 | pub async fn account() -> Json<Account> {}
              |                                ^^^^^^^
            note: the applications that compose this crate must be able to see it
             --> src/lib.rs:2:19
              |
            2 | pub(crate) struct Account;
              |                   ^^^^^^^
            help: write `pub struct Account`
        "#]],
    );
}

#[test]
fn a_fragment_that_borrows_a_state_that_is_not_named() {
    check(
        r##"
//- src/main.rs
polywire::generated! { crates: [accounts] }
//- accounts/src/lib.rs
polywire::generated! { fragment }
pub struct Limit;
#[polywire::route(GET, "/accounts")]
pub async fn account(limit: State<'_, Limit>) {}
"##,
        expect![[r#"
            error: route `account` takes a `State`, and `polywire::generated!` names none
             --> accounts/src/lib.rs:4:14
              |
            4 | pub async fn account(limit: State<'_, Limit>) {}
              |              ^^^^^^^
            note: the application's state is named here
             --> src/main.rs:1:1
              |
            1 | polywire::generated! { crates: [accounts] }
              | ^^^^^^^^^^^^^^^^^^^
            help: write `state: AppState` there, a type of the crate root that has what the fragment's handlers borrow
        "#]],
    );
}
