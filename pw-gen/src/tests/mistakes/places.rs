//! Routes where the generator can't see what they are, or generated code can't name them.

use expect_test::expect;

use super::check;

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

#[test]
fn private_types_in_a_module() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
mod orders;
struct AtTheRoot;
#[polywire::route(GET, "/")]
async fn index() -> Json<AtTheRoot> {}
//- src/orders.rs
struct Order;
enum Refusal { Gone }
struct Hidden;
type Answer = Result<Json<Vec<Order>>, Refusal>;
pub struct Seen;
pub(super) struct Above;
#[cfg(unix)]
struct Twice;
#[cfg(not(unix))]
pub struct Twice;
#[polywire::route(POST, "/orders")]
pub(crate) async fn order(seen: Seen, above: Above, twice: Twice, Json(order): Json<Order>) -> Result<(), Refusal> {}
#[polywire::route(GET, "/orders")]
pub(crate) async fn orders() -> Answer {}
#[polywire::route(PUT, "/orders")]
pub(crate) async fn generic<Hidden: Exchange>(cx: &mut Hidden) {}
#[polywire::route(DELETE, "/orders")]
pub(crate) async fn another() -> other::Hidden {}
"##,
        expect![[r#"
            error: generated code can't see the type `Order`, which the handler `order` takes or returns
              --> src/orders.rs:12:85
               |
            12 | pub(crate) async fn order(seen: Seen, above: Above, twice: Twice, Json(order): Json<Order>) -> Result<(), Refusal> {}
               |                                                                                     ^^^^^
            note: `crate::generated` must be able to see it
             --> src/orders.rs:1:8
              |
            1 | struct Order;
              |        ^^^^^
            help: write `pub(crate) struct Order`

            error: generated code can't see the type `Refusal`, which the handler `order` takes or returns
              --> src/orders.rs:12:107
               |
            12 | pub(crate) async fn order(seen: Seen, above: Above, twice: Twice, Json(order): Json<Order>) -> Result<(), Refusal> {}
               |                                                                                                           ^^^^^^^
            note: `crate::generated` must be able to see it
             --> src/orders.rs:2:6
              |
            2 | enum Refusal { Gone }
              |      ^^^^^^^
            help: write `pub(crate) enum Refusal`
        "#]],
    );
}
