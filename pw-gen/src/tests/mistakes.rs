//! One small source tree per mistake, and what is said of it.

use expect_test::{Expect, expect};

use super::SourceTree;

fn check(tree: &str, expected: Expect) {
    expected.assert_eq(&SourceTree::new(tree).check().expect_err("it is a mistake"));
}

#[test]
fn one_method_and_pattern_twice() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod users;
#[polywire::route(GET, "/users/{id}")]
async fn show(head: &impl RequestHead) {}
//- src/users.rs
#[polywire::route(GET, "/users/{id}")]
pub(crate) async fn show_user(head: &impl RequestHead) {}
"##,
        expect![[r#"
            error: route `show_user` must not answer `GET /users/{id}`: route `show` does
             --> src/users.rs:1:1
              |
            1 | #[polywire::route(GET, "/users/{id}")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: route `show` is here
             --> src/main.rs:3:1
              |
            3 | #[polywire::route(GET, "/users/{id}")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: give one of them another pattern or method, or remove it
        "#]],
    );
}

#[test]
fn one_pattern_in_two_spellings() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
#[polywire::route(GET, "/users/{id}/posts")]
async fn posts(head: &impl RequestHead) {}
#[polywire::route(DELETE, "/users/{user}/posts")]
async fn delete_posts(head: &impl RequestHead) {}
"##,
        expect![[r#"
            error: route `delete_posts` must name its parameters as route `posts` does: `/users/{user}/posts` and `/users/{id}/posts` are one pattern
             --> src/main.rs:4:1
              |
            4 | #[polywire::route(DELETE, "/users/{user}/posts")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: route `posts` is here
             --> src/main.rs:2:1
              |
            2 | #[polywire::route(GET, "/users/{id}/posts")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: write `/users/{id}/posts` in both, or another pattern
        "#]],
    );
}

#[test]
fn one_literal_in_two_spellings() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
#[polywire::route(GET, "/users")]
async fn users() {}
#[polywire::route(GET, "/%75sers")]
async fn escaped_users() {}
"##,
        expect![[r#"
            error: route `escaped_users` must not answer `GET /%75sers`: route `users` does
             --> src/main.rs:4:1
              |
            4 | #[polywire::route(GET, "/%75sers")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: route `users` is here
             --> src/main.rs:2:1
              |
            2 | #[polywire::route(GET, "/users")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: give one of them another pattern or method, or remove it
        "#]],
    );
}

#[test]
fn one_name_twice() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod posts;
#[polywire::route(GET, "/")]
async fn index() {}
//- src/posts.rs
#[polywire::route(GET, "/posts")]
pub async fn index() {}
"##,
        expect![[r#"
            error: two routes have the name `index`
             --> src/posts.rs:2:14
              |
            2 | pub async fn index() {}
              |              ^^^^^
            note: the other is here
             --> src/main.rs:4:10
              |
            4 | async fn index() {}
              |          ^^^^^
            note: a route is named after its function unless it says otherwise
            help: name one of them: `#[route(GET, "/posts", name = "..")]`
        "#]],
    );
}

#[test]
fn conditions_that_do_not_exclude_each_other() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
#[cfg(unix)]
#[polywire::route(GET, "/")]
async fn unix() {}
#[cfg(windows)]
#[polywire::route(GET, "/")]
async fn windows() {}
"##,
        expect![[r#"
            error: route `windows` must not answer `GET /`: route `unix` does
             --> src/main.rs:6:1
              |
            6 | #[polywire::route(GET, "/")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: route `unix` is here
             --> src/main.rs:3:1
              |
            3 | #[polywire::route(GET, "/")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: give one of them another pattern or method; both may stay if no build has both: one under `cfg(X)`, the other under `cfg(not(X))`
        "#]],
    );
}

#[test]
fn a_private_handler_in_a_module() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod users {
    #[polywire::route(GET, "/users")]
    async fn list() {}
    mod admin {
        #[polywire::route(GET, "/admin")]
        pub(super) async fn admins() {}
    }
}
"##,
        expect![[r#"
            error: generated code can't see the handler `list`: `crate::generated` must be able to name it
             --> src/main.rs:4:14
              |
            4 |     async fn list() {}
              |              ^^^^
            help: write `pub(crate) async fn list`

            error: generated code can't see the handler `admins`: `crate::generated` must be able to name it
             --> src/main.rs:7:29
              |
            7 |         pub(super) async fn admins() {}
              |                             ^^^^^^
            help: write `pub(crate) async fn admins`

            error: generated code can't see the handler `admins`: its module `admin` is private
             --> src/main.rs:7:29
              |
            7 |         pub(super) async fn admins() {}
              |                             ^^^^^^
            note: `crate::generated` must be able to name this module
             --> src/main.rs:5:9
              |
            5 |     mod admin {
              |         ^^^^^
            help: write `pub(crate) mod admin`
        "#]],
    );
}

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
fn a_route_in_a_macro() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
macro_rules! page {
    ($name:ident, $path:literal) => {
        #[polywire::route(GET, $path)]
        async fn $name() {}
    };
}
page!(index, "/");
wrap! {
    #[route(GET, "/wrapped")]
    async fn wrapped() {}
}
"##,
        expect![[r#"
            error: a macro can't make a route
             --> src/main.rs:4:21
              |
            4 |         #[polywire::route(GET, $path)]
              |                     ^^^^^
            note: the generator reads sources and expands no macros
            help: write the function with its `#[route(..)]` outside, and let the macro make its body

            error: a route can't stand within a macro's braces
              --> src/main.rs:10:7
               |
            10 |     #[route(GET, "/wrapped")]
               |       ^^^^^
            note: the generator reads sources and expands no macros
            help: move the function out of the macro
        "#]],
    );
}

#[test]
fn a_renamed_attribute() {
    check(
        r##"
//- src/main.rs
use polywire::route as get;
polywire::generated!();
#[get(GET, "/")]
async fn index() {}
"##,
        expect![[r#"
            error: the attribute `route` must keep its name
             --> src/main.rs:1:15
              |
            1 | use polywire::route as get;
              |               ^^^^^
            note: the generator finds routes by the attribute's name
            help: write `use polywire::route;` and `#[route(..)]`, or `#[polywire::route(..)]`
        "#]],
    );
}

#[test]
fn a_re_exported_attribute() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod web { pub use polywire::{Json, route}; }
mod users {
    use crate::web::route;
    #[route(GET, "/users")]
    pub(crate) async fn users() {}
    #[crate::web::route(GET, "/more")]
    pub(crate) async fn more() {}
}
"##,
        expect![[r#"
            error: the attribute `route` must not be re-exported
             --> src/main.rs:2:36
              |
            2 | mod web { pub use polywire::{Json, route}; }
              |                                    ^^^^^
            note: the generator can't follow it to the modules that import it from here
            help: write `use polywire::route;` without `pub` in each module that has routes

            error: this attribute is not known to be Polywire's `route`
             --> src/main.rs:5:7
              |
            5 |     #[route(GET, "/users")]
              |       ^^^^^
            note: the generator finds routes by the attribute's name and imports
            help: write `use polywire::route;` and `#[route(..)]`, or `#[polywire::route(..)]`

            error: this attribute is not known to be Polywire's `route`
             --> src/main.rs:7:7
              |
            7 |     #[crate::web::route(GET, "/more")]
              |       ^^^^^^^^^^^^^^^^^
            note: the generator finds routes by the attribute's name and imports
            help: write `use polywire::route;` and `#[route(..)]`, or `#[polywire::route(..)]`
        "#]],
    );
}

#[test]
fn a_route_where_none_can_be() {
    check(
        r##"
//- src/main.rs
use polywire::prelude::*;
polywire::generated!();
struct Users;
impl Users {
    #[route(GET, "/users")]
    async fn list(&self) {}
}
fn main() {
    #[route(GET, "/inner")]
    async fn inner() {}
}
#[cfg_attr(unix, route(GET, "/unix"))]
async fn unix() {}
#[route(GET, "/struct")]
struct NotAFunction;
"##,
        expect![[r#"
            error: a route can't be a method
             --> src/main.rs:5:7
              |
            5 |     #[route(GET, "/users")]
              |       ^^^^^
            help: write a function at the top of a module, and take what `self` has as `State`

            error: a route can't stand within a function
             --> src/main.rs:9:7
              |
            9 |     #[route(GET, "/inner")]
              |       ^^^^^
            help: move it to the top of a module: generated code can't name it here

            error: a route can't stand in `cfg_attr`
              --> src/main.rs:12:18
               |
            12 | #[cfg_attr(unix, route(GET, "/unix"))]
               |                  ^^^^^
            help: write `#[cfg(..)]` and `#[route(..)]`, each on a line of its own

            error: a route is a function
              --> src/main.rs:14:3
               |
            14 | #[route(GET, "/struct")]
               |   ^^^^^
            help: put `#[route(..)]` on an `async fn` at the top of a module
        "#]],
    );
}

#[test]
fn a_function_with_two_routes() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
#[polywire::route(GET, "/")]
#[polywire::route(GET, "/index.html")]
async fn index() {}
"##,
        expect![[r#"
            error: `index` has two routes
             --> src/main.rs:3:1
              |
            3 | #[polywire::route(GET, "/index.html")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: the first is here
             --> src/main.rs:2:1
              |
            2 | #[polywire::route(GET, "/")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: write a second function that calls the first
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
fn an_included_route() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
include!("more.rs");
include!(concat!(env!("OUT_DIR"), "/more.rs"));
//- src/more.rs
#[polywire::route(GET, "/")]
async fn index() {}
"##,
        expect![[r#"
            error: routes can't be included
             --> src/main.rs:2:10
              |
            2 | include!("more.rs");
              |          ^^^^^^^^^
            help: make the file a module: `mod routes;`, or `#[path = ".."] mod routes;`
        "#]],
    );
}
