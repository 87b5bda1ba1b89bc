//! What DESIGN.md's Routing says, example by example.

use pw_core::route::{Match, Params, Table};

use crate::table::table;

/// What a request finds, as text: the pattern and the parameters' raw values, or the refusal.
fn find(table: &Table, method: &str, path: &str) -> String {
    let mut params = Params::default();
    let found = table.find(method, path, &mut params);
    let values = params.spans().iter();
    let values: Vec<_> = values
        .map(|&(start, end)| &path[start as usize..end as usize])
        .collect();
    match found {
        Match::Route(at) => format!(
            "{} {} {values:?}",
            table.routes()[at].method(),
            table.routes()[at].pattern()
        ),
        Match::Options(allow) => format!("204 {allow}"),
        Match::MethodNotAllowed(allow) => format!("405 {allow}"),
        Match::NotImplemented => "501".to_owned(),
        Match::NotFound => "404".to_owned(),
    }
}

#[track_caller]
fn check(routes: &[(&str, &str)], requests: &[(&str, &str, &str)]) {
    for turned in [false, true] {
        let mut routes = routes.to_vec();
        if turned {
            routes.reverse();
        }
        let table = table(&routes);
        for (method, path, expected) in requests {
            assert_eq!(find(table, method, path), *expected, "{method} {path} in {routes:?}");
        }
    }
}

#[test]
fn literal_before_parameter_before_wildcard_with_backtracking() {
    check(
        &[
            ("GET", "/a/b/c"),
            ("GET", "/a/{x}/d"),
            ("GET", "/{x}/b/e"),
            ("GET", "/a/{*rest}"),
            ("GET", "/{*rest}"),
        ],
        &[
            ("GET", "/a/b/c", "GET /a/b/c []"),
            ("GET", "/a/b/d", r#"GET /a/{x}/d ["b"]"#),
            ("GET", "/a/b/e", r#"GET /a/{*rest} ["b/e"]"#),
            ("GET", "/z/b/e", r#"GET /{x}/b/e ["z"]"#),
            ("GET", "/z/b/f", r#"GET /{*rest} ["z/b/f"]"#),
            ("GET", "/a", r#"GET /{*rest} ["a"]"#),
            ("GET", "/a/", r#"GET /{*rest} ["a/"]"#),
            ("GET", "/", "404"),
        ],
    );
}

#[test]
fn slashes_and_empty_segments_are_other_paths() {
    check(
        &[
            ("GET", "/"),
            ("GET", "/a"),
            ("GET", "/b/"),
            ("GET", "/c/{x}"),
            ("GET", "/c/{x}/d"),
            ("GET", "/f/{*p}"),
        ],
        &[
            ("GET", "/", "GET / []"),
            ("GET", "//", "404"),
            ("GET", "/a", "GET /a []"),
            ("GET", "/a/", "404"),
            ("GET", "//a", "404"),
            ("GET", "/b", "404"),
            ("GET", "/b/", "GET /b/ []"),
            ("GET", "/b//", "404"),
            ("GET", "/c", "404"),
            ("GET", "/c/", "404"),
            ("GET", "/c//d", "404"),
            ("GET", "/c/x/", "404"),
            ("GET", "/f", "404"),
            ("GET", "/f/", "404"),
            ("GET", "/f//", r#"GET /f/{*p} ["/"]"#),
            ("GET", "/f//etc/passwd", r#"GET /f/{*p} ["/etc/passwd"]"#),
            ("GET", "", "404"),
            ("GET", "a", "404"),
            ("GET", "*", "404"),
        ],
    );
}

#[test]
fn escapes_of_unreserved_characters_are_the_characters() {
    check(
        &[
            ("GET", "/ping"),
            ("GET", "/a%2Fb"),
            ("GET", "/caf%C3%A9/menu-of-the-day"),
            ("GET", "/long-enough-to-need-two-words"),
            ("GET", "/chain/of/literals"),
        ],
        &[
            ("GET", "/%70ing", "GET /ping []"),
            ("GET", "/%70%69%6E%67", "GET /ping []"),
            ("GET", "/pin%67", "GET /ping []"),
            ("GET", "/pin%67/", "404"),
            ("GET", "/pin%2567", "404"),
            ("GET", "/pin%6", "404"),
            ("GET", "/a%2Fb", "GET /a%2Fb []"),
            ("GET", "/a%2fb", "GET /a%2Fb []"),
            ("GET", "/%61%2fb", "GET /a%2Fb []"),
            ("GET", "/a/b", "404"),
            (
                "GET",
                "/caf%c3%a9/menu%2dof-the-day",
                "GET /caf%C3%A9/menu-of-the-day []",
            ),
            (
                "GET",
                "/long-enough-to-need-two%2dwords",
                "GET /long-enough-to-need-two-words []",
            ),
            ("GET", "/long-enough-to-need-two-wordz", "404"),
            ("GET", "/chain/%6ff/literal%73", "GET /chain/of/literals []"),
            ("GET", "/chain%2Fof/literals", "404"),
            ("GET", "/PING", "404"),
        ],
    );
}

#[test]
fn parameters_are_raw_spans() {
    check(
        &[
            ("GET", "/u/{id}/{slug}"),
            ("GET", "/u/me/{slug}"),
            ("GET", "/f/{v}/{*p}"),
        ],
        &[
            ("GET", "/u/4%2F2/a%20b", r#"GET /u/{id}/{slug} ["4%2F2", "a%20b"]"#),
            ("GET", "/u/me/x", r#"GET /u/me/{slug} ["x"]"#),
            ("GET", "/u/m%65/x", r#"GET /u/me/{slug} ["x"]"#),
            ("GET", "/u/me%20/x", r#"GET /u/{id}/{slug} ["me%20", "x"]"#),
            ("GET", "/f/1/a//b/", r#"GET /f/{v}/{*p} ["1", "a//b/"]"#),
        ],
    );
}

#[test]
fn methods_have_their_answers() {
    check(
        &[
            ("GET", "/a"),
            ("POST", "/a"),
            ("POST", "/b"),
            ("HEAD", "/c"),
            ("GET", "/c"),
            ("OPTIONS", "/d"),
            ("PURGE", "/d"),
        ],
        &[
            ("HEAD", "/a", "GET /a []"),
            ("HEAD", "/b", "405 OPTIONS, POST"),
            ("HEAD", "/c", "HEAD /c []"),
            ("OPTIONS", "/a", "204 GET, HEAD, OPTIONS, POST"),
            ("OPTIONS", "/d", "OPTIONS /d []"),
            ("OPTIONS", "/x", "404"),
            ("OPTIONS", "*", "204 GET, HEAD, OPTIONS, POST, PURGE"),
            ("DELETE", "/a", "405 GET, HEAD, OPTIONS, POST"),
            ("PATCH", "/x", "404"),
            ("TRACE", "/a", "405 GET, HEAD, OPTIONS, POST"),
            ("PURGE", "/a", "405 GET, HEAD, OPTIONS, POST"),
            ("PURGE", "/d", "PURGE /d []"),
            ("GET", "/d", "405 OPTIONS, PURGE"),
            ("LINK", "/a", "501"),
            ("LINK", "/x", "501"),
            ("get", "/a", "501"),
        ],
    );
}

#[test]
fn a_less_specific_pattern_answers_a_method_the_most_specific_one_lacks() {
    check(
        &[
            ("POST", "/users/me"),
            ("GET", "/users/{id}"),
            ("PUT", "/{kind}/me"),
            ("OPTIONS", "/{*any}"),
            ("DELETE", "/users/me/x"),
        ],
        &[
            ("POST", "/users/me", "POST /users/me []"),
            ("GET", "/users/me", r#"GET /users/{id} ["me"]"#),
            ("HEAD", "/users/me", r#"GET /users/{id} ["me"]"#),
            ("PUT", "/users/me", r#"PUT /{kind}/me ["users"]"#),
            ("OPTIONS", "/users/me", r#"OPTIONS /{*any} ["users/me"]"#),
            ("DELETE", "/users/me", "405 GET, HEAD, OPTIONS, POST, PUT"),
            ("DELETE", "/users/7", "405 GET, HEAD, OPTIONS"),
            ("DELETE", "/x/me", "405 OPTIONS, PUT"),
            ("GET", "/users/me/x", "405 DELETE, OPTIONS"),
        ],
    );
}

#[test]
fn routes_that_a_cfg_took_away_leave_no_path_behind() {
    use pw_core::route::{Leaf, Node, Route};

    static ROUTES: [Route; 1] = [Route::new("a", "GET", "/a", "a")];
    static ROOT: Node = Node::new().literals(&[
        Node::literal("a").leaf(&Leaf::new(&[("GET", 0)])),
        Node::literal("b").leaf(&Leaf::new(&[
            #[cfg(any())]
            ("GET", 1),
        ])),
    ]);
    static TABLE: Table = Table::new(&ROUTES, &ROOT, &[]);
    assert_eq!(find(&TABLE, "GET", "/a"), "GET /a []");
    for method in ["GET", "POST", "OPTIONS"] {
        assert_eq!(find(&TABLE, method, "/b"), "404");
    }
}
