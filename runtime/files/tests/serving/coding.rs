//! Precompressed files beside their originals. What a field comes to is a table in `coding.rs` of the crate.

use std::fs;

use crate::Site;
use crate::client::{ask, get};

fn site() -> Site {
    let site = Site::new();
    site.write("app.js", "the original, which is the longest of them all");
    site.write("app.js.gz", "as gzip, somewhat shorter");
    site.write("app.js.br", "as brotli");
    site.write("app.js.zst", "as zstandard");
    site
}

#[test]
fn the_client_gets_what_it_takes() {
    let site = site();
    let files = site.files();
    let original = get(&files, "app.js", &[]);
    assert!(original.text().starts_with("the original"));
    assert_eq!(
        (original.field("content-encoding"), original.field("vary")),
        (None, Some("accept-encoding"))
    );
    let mut tags = vec![original.field("etag").unwrap().to_owned()];
    for (accept, coding, text) in [
        ("gzip", "gzip", "as gzip"),
        ("gzip, br, zstd", "br", "as brotli"),
        ("zstd, gzip", "zstd", "as zstandard"),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = ask(&files, method, "app.js", &[("accept-encoding", accept)]);
            assert!(answer.text().starts_with(text), "{accept}");
            assert_eq!(answer.field("content-encoding"), Some(coding));
            assert_eq!(answer.field("content-type"), Some("text/javascript; charset=utf-8"));
            assert_eq!(answer.field("vary"), Some("accept-encoding"));
            tags.push(answer.field("etag").unwrap().to_owned());
        }
    }
    tags.dedup();
    tags.sort();
    tags.dedup();
    assert_eq!(tags.len(), 4, "each has a tag of its own: {tags:?}");
    let answer = get(&files, "app.js", &[("accept-encoding", "identity;q=0, deflate")]);
    assert_eq!((answer.status, answer.field("vary")), (406, Some("accept-encoding")));
    // A file without others beside it may get some.
    assert_eq!(get(&files, "hello.txt", &[]).field("vary"), Some("accept-encoding"));
    // By its own name it is what it is.
    let answer = get(&files, "app.js.gz", &[("accept-encoding", "gzip")]);
    assert_eq!(
        (answer.field("content-encoding"), answer.field("content-type")),
        (None, Some("application/gzip"))
    );
}

#[test]
fn preconditions_and_ranges_are_of_what_is_sent() {
    let site = site();
    let files = site.files();
    let gzip = ("accept-encoding", "gzip");
    let (original, coded) = (get(&files, "app.js", &[]), get(&files, "app.js", &[gzip]));
    let (of_original, of_coded) = (original.field("etag").unwrap(), coded.field("etag").unwrap());
    assert_eq!(get(&files, "app.js", &[gzip, ("if-none-match", of_coded)]).status, 304);
    assert_eq!(
        get(&files, "app.js", &[gzip, ("if-none-match", of_original)]).status,
        200
    );
    assert_eq!(get(&files, "app.js", &[("if-none-match", of_coded)]).status, 200);
    let answer = get(
        &files,
        "app.js",
        &[gzip, ("range", "bytes=3-6"), ("if-range", of_coded)],
    );
    assert_eq!((answer.status, answer.text()), (206, "gzip"));
    assert_eq!(answer.field("content-range"), Some("bytes 3-6/25"));
    assert_eq!(answer.field("content-encoding"), Some("gzip"));
    let answer = get(
        &files,
        "app.js",
        &[gzip, ("range", "bytes=3-6"), ("if-range", of_original)],
    );
    assert_eq!((answer.status, answer.text()), (200, coded.text()));
    // In a multipart each part says how it is coded, and the whole is not.
    let answer = get(&files, "app.js", &[gzip, ("range", "bytes=0-1,8-9")]);
    assert_eq!((answer.status, answer.field("content-encoding")), (206, None));
    assert_eq!(answer.text().matches("content-encoding: gzip\r\n").count(), 2);
}

#[test]
fn they_are_left_out_on_demand_and_where_they_are_no_use() {
    let site = site();
    let all = ("accept-encoding", "gzip, br, zstd");
    let without = site.files().precompressed(false);
    let answer = get(&without, "app.js", &[all]);
    assert!(answer.text().starts_with("the original"));
    assert_eq!(answer.field("vary"), None);
    assert_eq!(
        get(&without, "app.js", &[("accept-encoding", "identity;q=0")]).status,
        200
    );
    site.write("app.js.br", "longer than the original, which would do nobody any good");
    fs::remove_file(site.path("app.js.zst")).unwrap();
    std::os::unix::fs::symlink("../secret.txt", site.path("app.js.zst")).unwrap();
    fs::remove_file(site.path("app.js.gz")).unwrap();
    fs::create_dir(site.path("app.js.gz")).unwrap();
    assert!(get(&site.files(), "app.js", &[all]).text().starts_with("the original"));
    // One without its original is not a way to it.
    site.write("other.js.gz", "x");
    assert_eq!(get(&site.files(), "other.js", &[all]).status, 404);
}
