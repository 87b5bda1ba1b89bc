//! Files that are part of the program.

use pw_core::{Middleware, Problem, Reply, Respond};
use pw_files::Embedded;

use crate::client::{Answer, head, run, through};

const FILES: &[(&str, &[u8])] = &[
    ("index.html", b"root"),
    ("docs/index.html", b"docs"),
    ("docs/not-index.html", b"other"),
    ("css/app.css", b"body { color: black }"),
    ("css/app.css.br", b"coded"),
    ("css/app.css.gz", b"longer than the original is, by far"),
    ("lone.gz", b"on its own"),
    ("a b.txt", b"spaced"),
];

fn embedded() -> Embedded {
    Embedded::new("/static/", FILES.iter().copied())
}

fn get(embedded: &Embedded, target: &str, fields: &[(&str, &str)]) -> Answer {
    struct Missing;
    impl pw_core::Next<crate::client::Exchange> for Missing {
        async fn run(self, _: &pw_core::HeadBuffer, _: &mut crate::client::Exchange) -> Result<(), Problem> {
            Err(Problem::not_found())
        }
    }
    let mut exchange = crate::client::Exchange::new(crate::client::Empty);
    let head = head("GET", target, fields);
    if let Err(problem) = run(embedded.around(&head, &mut exchange, Missing)) {
        problem.write(&mut exchange.reply);
    }
    Answer::of(exchange.reply)
}

#[test]
fn a_fingerprint_is_for_ever_and_a_name_is_not() {
    let embedded = embedded();
    let url = embedded.url("css/app.css");
    assert!(
        url.starts_with("/static/css/app.") && url.ends_with(".css") && url.len() == 28,
        "{url}"
    );
    let (named, printed) = (get(&embedded, "/static/css/app.css", &[]), get(&embedded, url, &[]));
    assert_eq!(
        (named.text(), printed.text()),
        ("body { color: black }", "body { color: black }")
    );
    assert_eq!(named.field("cache-control"), Some("no-cache"));
    assert_eq!(
        printed.field("cache-control"),
        Some("public, max-age=31536000, immutable")
    );
    assert_eq!(named.field("etag"), printed.field("etag"));
    assert_eq!(printed.field("content-type"), Some("text/css; charset=utf-8"));
    assert_eq!(printed.field("last-modified"), None);
    let other = Embedded::new("/static", [("css/app.css", &b"body { color: white }"[..])]);
    assert_ne!(other.url("css/app.css"), url);
    assert_eq!(get(&other, url, &[]).status, 404, "of another build");
    let spaced = embedded.url("a b.txt");
    assert!(spaced.starts_with("/static/a%20b."), "{spaced}");
    assert_eq!(get(&embedded, spaced, &[]).text(), "spaced");
    assert_eq!(get(&embedded, "/static/a%20b.txt", &[]).text(), "spaced");
}

#[test]
fn answers_are_those_of_files() {
    let embedded = embedded();
    let url = embedded.url("css/app.css");
    let br = ("accept-encoding", "br, gzip");
    let coded = get(&embedded, url, &[br]);
    assert_eq!((coded.text(), coded.field("content-encoding")), ("coded", Some("br")));
    assert_eq!(coded.field("vary"), Some("accept-encoding"));
    let etag = coded.field("etag").unwrap();
    assert_ne!(Some(etag), get(&embedded, url, &[]).field("etag"));
    assert_eq!(get(&embedded, url, &[br, ("if-none-match", etag)]).status, 304);
    assert_eq!(get(&embedded, url, &[br, ("if-match", "\"x\"")]).status, 412);
    let part = get(&embedded, url, &[("range", "bytes=0-3")]);
    assert_eq!(
        (part.text(), part.field("content-range")),
        ("body", Some("bytes 0-3/21"))
    );
    assert_eq!(get(&embedded, url, &[("range", "bytes=21-")]).status, 416);
    // Shorter ones only; none has a path of its own, but for one without an original.
    assert_eq!(
        get(&embedded, url, &[("accept-encoding", "gzip")]).field("content-encoding"),
        None
    );
    assert_eq!(get(&embedded, "/static/css/app.css.br", &[]).status, 404);
    assert_eq!(get(&embedded, "/static/lone.gz", &[]).text(), "on its own");
}

#[test]
fn all_else_goes_on() {
    let plain = embedded();
    for target in [
        "/",
        "/static",
        "/static/",
        "/static/docs",
        "/static/docs/",
        "/static/css/",
        "/static/css%2fapp.css",
        "/css/app.css",
        "/static/../static/css/app.css",
        "/static//css/app.css",
        "/static/css/app.00000000.css",
    ] {
        assert_eq!(through(&plain, "GET", target).text(), "next", "{target}");
    }
    assert_eq!(through(&plain, "POST", "/static/css/app.css").text(), "next");
    assert_eq!(through(&plain, "HEAD", "/static/css/app.css").status, 200);
    let indexed = embedded().index("index.html");
    assert_eq!(through(&indexed, "GET", "/static/").text(), "root");
    assert_eq!(through(&indexed, "GET", "/static/docs/").text(), "docs");
    assert_eq!(through(&indexed, "GET", "/static/docs/not-").text(), "next");
}

#[test]
fn a_request_costs_no_allocation() {
    let embedded = embedded();
    let head = head("GET", "/static/css/app.css", &[("accept-encoding", "br")]);
    let mut reply = Reply::default();
    let mut request = || {
        embedded
            .find(&head, "css/app.css")
            .unwrap()
            .respond(&mut reply)
            .unwrap();
        drop(reply.take());
        reply.recycle(10_000);
    };
    request();
    assert_eq!(allocation_counter::measure(request).count_total, 0);
}

#[test]
#[should_panic(expected = "no file `app.css` is embedded")]
fn a_page_that_names_what_is_not_there_is_a_mistake() {
    embedded().url("app.css");
}

#[test]
#[should_panic(expected = "no path can name")]
fn so_is_a_file_that_no_path_can_name() {
    Embedded::new("/static", [("../app.css", &b""[..])]);
}
