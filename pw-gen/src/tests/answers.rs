//! What `routes` and `explain` say.

use expect_test::{Expect, expect};

use super::SourceTree;
use crate::{explain, listing};

const TREE: &str = r#"
//- src/main.rs
use polywire::prelude::*;
polywire::generated! { chain: Chain, crates: [accounts] }
type Chain = (RequestId, (crate::Recover, Inner));
type Inner = (access::Log, Session);

#[route(GET, "/")]
async fn index() {}
#[route(GET, "/users/{id}", timeout = "500ms", body_limit = "2 KiB")]
async fn show(Path(id): Path<u64>) {}
#[route(GET, "/users/me")]
async fn me() {}
#[route(POST, "/users/new")]
async fn new() {}
#[cfg(feature = "x")]
#[route(GET, "/users/x")]
async fn x() {}
#[route("PURGE", "/files/{*path}")]
async fn purge(Path(path): Path<&str>) {}
//- accounts/src/lib.rs
polywire::generated! { fragment }
#[polywire::route(GET, "/accounts/")]
pub async fn accounts() {}
"#;

fn check(method: &str, path: &str, expected: Expect) {
    expected.assert_eq(&explain::explain(&SourceTree::new(TREE).routes(), method, path));
}

#[test]
fn routes_as_a_table() {
    expect![[r#"
        METHOD  PATTERN         NAME      HANDLER             BODY   TIMEOUT  CFG
        GET     /               index     app::index
        GET     /accounts/      accounts  accounts::accounts
        PURGE   /files/{*path}  purge     app::purge
        GET     /users/me       me        app::me
        POST    /users/new      new       app::new
        GET     /users/x        x         app::x                              feature = "x"
        GET     /users/{id}     show      app::show           2 KiB  500 ms
    "#]]
    .assert_eq(&listing::table(&SourceTree::new(TREE).routes()));
}

#[test]
fn routes_as_json() {
    let json = listing::json(&[&SourceTree::new(TREE).routes()]);
    let start: Vec<&str> = json.lines().take(34).collect();
    expect![[r#"
        [
          {
            "package": "app",
            "routes": [
              {
                "method": "GET",
                "pattern": "/",
                "name": "index",
                "handler": "app::index",
                "params": [],
                "body_limit": null,
                "timeout_ms": null,
                "cfg": null,
                "fragment": null,
                "file": "src/main.rs",
                "line": 7
              },
              {
                "method": "GET",
                "pattern": "/accounts/",
                "name": "accounts",
                "handler": "accounts::accounts",
                "params": [],
                "body_limit": null,
                "timeout_ms": null,
                "cfg": null,
                "fragment": "accounts",
                "file": "src/lib.rs",
                "line": 3
              },
              {
                "method": "PURGE",
                "pattern": "/files/{*path}",
                "name": "purge","#]]
    .assert_eq(&start.join("\n"));
}

#[test]
fn a_parameter() {
    check(
        "GET",
        "/users/42?page=1",
        expect![[r#"
        GET /users/42 is answered by route `show` of `app`

          handler       app::show (src/main.rs:9)
          pattern       GET /users/{id}
                        /users  is the literal
                        /42     is the parameter {id}
          passed over   /users/me: `42` is not `me`
                        /users/new: `42` is not `new`
                        /users/x: `42` is not `x`
          parameters    id = "42"
          body limit    2 KiB
          timeout       500 ms
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn a_literal_that_is_escaped() {
    check(
        "HEAD",
        "/users/m%65",
        expect![[r#"
        HEAD /users/m%65 is answered by route `me` of `app`

          handler       app::me (src/main.rs:11)
          pattern       GET /users/me
                        HEAD follows GET; the body is left out
                        /users  is the literal
                        /m%65   is the literal `me`, percent-encoded
          passed over   /users/{id}: the literal `me` goes before {id}
          body limit    the server's, 1 MiB by default
          timeout       none
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn a_literal_without_the_method() {
    check(
        "GET",
        "/users/new",
        expect![[r#"
        GET /users/new is answered by route `show` of `app`

          handler       app::show (src/main.rs:9)
          pattern       GET /users/{id}
                        /users  is the literal
                        /new    is the parameter {id}
          passed over   /users/new: more specific, but it has no GET: only POST
                        /users/me: `new` is not `me`
                        /users/x: `new` is not `x`
          parameters    id = "new"
          body limit    2 KiB
          timeout       500 ms
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn a_condition() {
    check(
        "GET",
        "/users/x",
        expect![[r#"
        GET /users/x is answered by route `x` of `app`

          handler       app::x (src/main.rs:16)
          pattern       GET /users/x
                        /users  is the literal
                        /x      is the literal
          only if       cfg(feature = "x")
          otherwise     route `show`, /users/{id}
          passed over   /users/{id}: the literal `x` goes before {id}
          body limit    the server's, 1 MiB by default
          timeout       none
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn a_wildcard() {
    check(
        "PURGE",
        "/files/a/b%20c/%ff",
        expect![[r#"
        PURGE /files/a/b%20c/%ff is answered by route `purge` of `app`

          handler       app::purge (src/main.rs:18)
          pattern       PURGE /files/{*path}
                        /files        is the literal
                        /a/b%20c/%ff  is all that remains, {*path}
          parameters    path: answered 400, "a/b%20c/%ff" is not UTF-8 once decoded
          body limit    the server's, 1 MiB by default
          timeout       none
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn a_fragment() {
    check(
        "GET",
        "/accounts/",
        expect![[r#"
        GET /accounts/ is answered by route `accounts` of `app`

          handler       accounts::accounts (crate accounts, src/lib.rs:3)
          pattern       GET /accounts/
                        /accounts  is the literal
                        /          ends the path, as the pattern does
          body limit    the server's, 1 MiB by default
          timeout       none
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn not_allowed() {
    check(
        "PUT",
        "/users/x",
        expect![[r#"
        PUT /users/x is answered 405 by `app`, with `Allow: GET, HEAD, OPTIONS`

          has the path  GET /users/x, route `x`
                        GET /users/{id}, route `show`
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
    check(
        "OPTIONS",
        "/files/x",
        expect![[r#"
        OPTIONS /files/x is answered 204 by `app` itself, with `Allow: OPTIONS, PURGE`

          has the path  PURGE /files/{*path}, route `purge`
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn not_implemented() {
    check(
        "FOO",
        "/",
        expect![[r#"
        FOO / is answered 501 by `app`: no route has the method FOO

          has the path  GET /, route `index`
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn not_found() {
    check(
        "GET",
        "/user/3",
        expect![[r#"
        GET /user/3 is answered 404 by `app`: no pattern has the path

          nearest       /users/{id}: `user` is not `users`
                        /users/x: `user` is not `users`
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
    check(
        "GET",
        "/users/3/",
        expect![[r#"
        GET /users/3/ is answered 404 by `app`: no pattern has the path

          nearest       /users/{id}: a trailing slash makes another path
                        /users/x: `3` is not `x`
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
    check(
        "GET",
        "/users/",
        expect![[r#"
        GET /users/ is answered 404 by `app`: no pattern has the path

          nearest       /users/x: an empty segment is not `x`
                        /users/me: an empty segment is not `me`
                        /users/new: an empty segment is not `new`
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
    check(
        "GET",
        "/accounts",
        expect![[r#"
        GET /accounts is answered 404 by `app`: no pattern has the path

          nearest       /accounts/: it ends with a slash, and that is another path
                        /: `accounts` is more than it has
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}

#[test]
fn the_server_as_a_whole() {
    check(
        "OPTIONS",
        "*",
        expect![[r#"
        OPTIONS * is answered 204 by `app` itself, with `Allow: GET, HEAD, OPTIONS, POST, PURGE`: it asks about the server as a whole
          chain         RequestId > crate::Recover > access::Log > Session
    "#]],
    );
}
