//! Routes that can't stand beside each other.

use expect_test::expect;

use super::check;

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
fn one_route_in_two_spellings() {
    check(
        r##"
//- src/main.rs
polywire::generated!();
#[polywire::route(GET, "/app/{*path}")]
async fn app(head: &impl RequestHead) {}
#[polywire::route(GET, "/app/{*rest}")]
async fn app_again(head: &impl RequestHead) {}
"##,
        expect![[r#"
            error: route `app_again` must not answer `GET /app/{*rest}`: route `app` does as `/app/{*path}`, which is the same pattern
             --> src/main.rs:4:1
              |
            4 | #[polywire::route(GET, "/app/{*rest}")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            note: route `app` is here
             --> src/main.rs:2:1
              |
            2 | #[polywire::route(GET, "/app/{*path}")]
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
            help: give one of them another pattern or method, or remove it
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
