//! Files as a middleware: what is answered, and what goes on.

use crate::Site;
use crate::client::{head, routed, through};

#[test]
fn files_below_the_prefix_are_answered_and_all_else_goes_on() {
    let site = Site::new();
    site.write("a b", "spaced");
    for prefix in ["/static", "/static/"] {
        let under = site.files().under(prefix);
        for (target, text) in [
            ("/static/hello.txt", "hello world"),
            ("/static/hello.txt?x=../../secret.txt", "hello world"),
            ("/static/sub/inner.txt", "inner page"),
            ("/static/a%20b", "spaced"),
            ("/st%61tic/%68ello.txt", "hello world"),
        ] {
            for method in ["GET", "HEAD"] {
                assert_eq!(through(&under, method, target).text(), text, "{target}");
            }
        }
        for target in [
            "/",
            "/hello.txt",
            "/static",
            "/static/",
            "/static/missing",
            "/static/sub",
            "/static/sub/",
            "/statically/hello.txt",
            "/static//hello.txt",
            "//static/hello.txt",
            "/static%2fhello.txt",
            "/static/sub%2finner.txt",
            "/static/../secret.txt",
            "/static/%2e%2e/secret.txt",
            "/static/..%2fsecret.txt",
            "/static/.env",
            "/static/link-out",
            "/static/%ff",
            "/static/%",
            "/static/hello.txt%00",
            "/other/hello.txt",
            "*",
        ] {
            assert_eq!(through(&under, "GET", target).text(), "next", "{target}");
        }
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "get"] {
            assert_eq!(through(&under, method, "/static/hello.txt").text(), "next", "{method}");
        }
    }
}

#[test]
fn the_prefix_itself_is_a_folder() {
    let site = Site::new();
    site.write("index.html", "index");
    let under = site.files().index("index.html").under("/static");
    assert_eq!(through(&under, "GET", "/static/").text(), "index");
    let answer = through(&under, "GET", "/static?q");
    assert_eq!((answer.status, answer.field("location")), (308, Some("/static/?q")));
    let root = site.files().index("index.html").under("/");
    assert_eq!(through(&root, "GET", "/").text(), "index");
    assert_eq!(through(&root, "GET", "/sub/inner.txt").text(), "inner page");
    assert_eq!(through(&root, "GET", "//").text(), "next");
}

#[test]
fn the_fallback_is_for_what_no_route_has() {
    use pw_core::route::{Leaf, Node, Route, Table};
    static ROUTES: [Route; 1] = [Route::new("users", "GET", "/users", "under::users")];
    static ROOT: Node = Node::new().literals(&[Node::literal("users").leaf(&Leaf::new(&[("GET", 0)]))]);
    static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);

    let site = Site::new();
    site.write("index.html", "page");
    let under = site.files().index("index.html").fallback("index.html").under("/");
    for (target, text) in [
        ("/users", "next"),
        ("/users/7", "page"),
        ("/", "page"),
        ("/app.js", "next"),
        ("/hello.txt", "hello world"),
    ] {
        let mut head = head("GET", target, &[]);
        head.find_route(&TABLE);
        assert_eq!(routed(&under, &head).text(), text, "{target}");
    }
    assert_eq!(through(&under, "POST", "/users/7").text(), "next");
}

#[test]
#[should_panic(expected = "must begin with a slash")]
fn a_prefix_is_a_path() {
    let _ = Site::new().files().under("static");
}
