//! Modules and their files.

use expect_test::expect;

use super::check;

#[test]
fn a_module_without_a_file() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod users;
#[path = "elsewhere/posts.rs"]
mod posts;
"##,
        expect![[r#"
            error: the file of module `users` does not exist
             --> src/main.rs:2:5
              |
            2 | mod users;
              |     ^^^^^
            help: create `src/users.rs` or `src/users/mod.rs`

            error: the file of module `posts` does not exist
             --> src/main.rs:4:5
              |
            4 | mod posts;
              |     ^^^^^
            help: create `src/elsewhere/posts.rs`
        "#]],
    );
}

#[test]
fn a_module_with_two_files() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod users;
//- src/users.rs
//- src/users/mod.rs
"##,
        expect![[r#"
            error: module `users` has two files
             --> src/main.rs:2:5
              |
            2 | mod users;
              |     ^^^^^
            help: remove one of `src/users.rs` and `src/users/mod.rs`
        "#]],
    );
}

#[test]
fn a_module_that_is_its_own() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
#[path = "main.rs"]
mod again;
"##,
        expect![[r#"
            error: `src/main.rs` is its own module
             --> src/main.rs:3:5
              |
            3 | mod again;
              |     ^^^^^
            help: remove the `mod` or mend its `path`
        "#]],
    );
}

#[test]
fn a_file_that_does_not_parse_and_one_that_does() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod broken;
mod users;
//- src/broken.rs
#[polywire::route(GET, "/broken")]
pub async fn broken( {}
//- src/users.rs
#[polywire::route(GTE, "/users")]
pub async fn users() {}
#[polywire::route(GET, "users")]
pub fn list() {}
"##,
        expect![[r#"
            error: this file does not parse: cannot parse string into token stream
             --> src/broken.rs:2:20
              |
            2 | pub async fn broken( {}
              |                    ^
            note: its routes are unknown; other files were read

            error: route `users` must name a registered method: `GTE` is none
             --> src/users.rs:1:19
              |
            1 | #[polywire::route(GTE, "/users")]
              |                   ^^^
            help: did you mean `GET`? A method of your own is written as a string: `"GTE"`

            error: route `list` must begin its pattern with `/`
             --> src/users.rs:3:24
              |
            3 | #[polywire::route(GET, "users")]
              |                        ^^^^^^^
            help: write `"/users"`

            error: route `list` must be an `async fn`
             --> src/users.rs:4:5
              |
            4 | pub fn list() {}
              |     ^^
            help: write `async fn list`; it need not await anything
        "#]],
    );
}

#[test]
fn routes_that_no_mod_reaches() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod users;
include!("included.rs");
//- src/included.rs
const ROUTE: &str = "#[route]";
//- src/users.rs
#[polywire::route(GET, "/users")]
pub(crate) async fn users() {}
//- src/users/posts.rs
use polywire::prelude::*;

#[route(GET, "/posts")]
pub(crate) async fn posts() {}
//- src/orders/mod.rs
pub(crate) mod items;
//- src/orders/items.rs
mod inline {
    #[polywire::route(GET, "/items")]
    pub(crate) async fn items() {}
}
//- src/broken.rs
fn broken( {}
    #[route(GET, "/broken")]
async fn route() {}
//- src/other.rs
/// Another crate's.
#[get("/")]
async fn other() {}
//- src/bin/tool.rs
#[polywire::route(GET, "/tool")]
async fn tool() {}
//- src/generated/old.rs
#[polywire::route(GET, "/old")]
async fn old() {}
"##,
        expect![[r#"
            error: this route is in no module: no `mod` reaches `src/broken.rs`
             --> src/broken.rs:2:5
              |
            2 |     #[route(GET, "/broken")]
              |     ^^^^^^^^^^^^^^^^^^^^^^^^
            help: write `mod broken;` in src/main.rs, or remove the file

            error: this route is in no module: no `mod` reaches `src/orders/mod.rs`
             --> src/orders/items.rs:2:5
              |
            2 |     #[polywire::route(GET, "/items")]
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: write `mod orders;` in src/main.rs, or remove the file

            error: this route is in no module: no `mod` reaches `src/users/posts.rs`
             --> src/users/posts.rs:3:1
              |
            3 | #[route(GET, "/posts")]
              | ^^^^^^^^^^^^^^^^^^^^^^^
            help: write `pub(crate) mod posts;` in src/users.rs, or remove the file
        "#]],
    );
}

#[test]
fn a_route_of_a_fragment_that_no_mod_reaches() {
    check(
        r##"
//- src/lib.rs
polywire::generated! { fragment }
//- src/users.rs
#[polywire::route(GET, "/users")]
pub async fn users() {}
"##,
        expect![[r#"
            error: this route is in no module: no `mod` reaches `src/users.rs`
             --> src/users.rs:1:1
              |
            1 | #[polywire::route(GET, "/users")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: write `pub mod users;` in src/lib.rs, or remove the file
        "#]],
    );
}
