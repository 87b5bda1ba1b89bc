//! Which paths have a file, and which never do.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use proptest::prelude::*;
use pw_files::{Files, Under};

use crate::Site;
use crate::client::{ask, get, through};

#[test]
fn a_file_is_sent_with_all_that_belongs_to_it() {
    let site = Site::new();
    let files = site.files();
    let answer = get(&files, "hello.txt", &[]);
    assert_eq!((answer.status, answer.text()), (200, "hello world"));
    let names: Vec<_> = answer.fields.iter().map(|(name, _)| &**name).collect();
    let expected = [
        "content-type",
        "x-content-type-options",
        "accept-ranges",
        "last-modified",
        "etag",
        "cache-control",
        "vary",
    ];
    assert_eq!(names, expected);
    assert_eq!(answer.field("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(answer.field("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.field("accept-ranges"), Some("bytes"));
    assert_eq!(answer.field("cache-control"), Some("no-cache"));
    let etag = answer.field("etag").unwrap();
    assert!(
        etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10,
        "{etag}"
    );
    let modified = fs::metadata(site.path("hello.txt")).unwrap().modified().unwrap();
    assert_eq!(answer.field("last-modified"), Some(&*httpdate::fmt_http_date(modified)));
    // The same from the cache, for HEAD, and for another who opens the folder.
    for again in [
        get(&files, "hello.txt", &[]),
        ask(&files, "HEAD", "hello.txt", &[]),
        get(&site.files(), "hello.txt", &[]),
    ] {
        assert_eq!(again.fields, answer.fields);
        assert_eq!(again.body, answer.body);
    }
    assert_eq!(get(&files, "sub/inner.txt", &[]).text(), "inner page");
    assert_eq!(get(&files, "%68ello.txt", &[]).text(), "hello world");
    site.write("empty", "");
    let empty = get(&files, "empty", &[]);
    assert_eq!((empty.status, empty.text()), (200, ""));
}

#[test]
fn a_large_file_is_handed_over_as_a_file() {
    use pw_core::{Content, Reply, Respond};
    let site = Site::new();
    site.write("large", crate::large());
    let files = site.files();
    for (name, is_file) in [("large", true), ("hello.txt", false)] {
        let mut reply = Reply::default();
        let head = crate::client::head("GET", &format!("/static/{name}"), &[]);
        files.find(&head, name).unwrap().respond(&mut reply).unwrap();
        assert_eq!(matches!(reply.take(), Content::File(_)), is_file, "{name}");
    }
    assert_eq!(get(&files, "large", &[]).body, crate::large());
}

#[test]
fn nothing_leaves_the_folder_however_it_is_disguised() {
    let site = Site::new();
    let plain = site.files();
    let open = site.files().index("index.html").hidden(true);
    let paths = [
        "../secret.txt",
        "%2e%2e/secret.txt",
        ".%2e/secret.txt",
        "%2e./secret.txt",
        "..%2fsecret.txt",
        "%2e%2e%2fsecret.txt",
        "%252e%252e%252fsecret.txt",
        "..%252fsecret.txt",
        "..;/secret.txt",
        "sub/..%2f..%2fsecret.txt",
        "sub/../../secret.txt",
        "sub/%2e%2e/%2e%2e/secret.txt",
        "....//secret.txt",
        ".././secret.txt",
        "/../secret.txt",
        "%c0%ae%c0%ae/secret.txt",
        "..%c0%afsecret.txt",
        "%u002e%u002e/secret.txt",
        "../secret.txt%00.txt",
        "hello.txt%00/../../secret.txt",
        "hello.txt%00",
        "hello.txt%00.png",
        "../../../../../../../../etc/passwd",
        "%2fetc%2fpasswd",
        "%2fetc/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "../root-evil/leak.txt",
        "%2e%2e/root-evil/leak.txt",
        "..%2froot-evil%2fleak.txt",
        "../",
        "..",
        ".",
        "./hello.txt",
        "sub/./inner.txt",
        "sub/../hello.txt",
        "%2e%2e",
        "%2e%2e/",
        "..%20/secret.txt",
        "..%0a/secret.txt",
        "..%3f/secret.txt",
        "..%23/secret.txt",
        "..%5csecret.txt",
        "..\\secret.txt",
        "sub\\inner.txt",
        "sub%5cinner.txt",
        "sub%2finner.txt",
        "sub%2Finner.txt",
        "//hello.txt",
        "/hello.txt",
        "sub//inner.txt",
        "hello.txt/",
        "hello.txt//",
        "hello.txt/x",
        "hello.txt.",
        "hello.txt%20",
        "HELLO.TXT",
        "link-out",
        "link-out/",
        "%ff%fe%80",
        "hello.txt%",
        "x%0d%0aa:%201",
        "%7e/secret.txt",
        "missing.txt",
        "%3Cscript%3E",
        "sub",
        "sub/",
        "",
    ];
    for path in paths
        .iter()
        .map(|path| (*path).to_owned())
        .chain(["a".repeat(5000), "a/".repeat(3500)])
    {
        for files in [&plain, &open] {
            let answer = get(files, &path, &[]);
            assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
            assert!(
                !answer.text().contains("SECRET") && !answer.text().contains("root:"),
                "{path}"
            );
        }
    }
    // After all of it nothing was kept that is not a file.
    assert_eq!(get(&plain, "hello.txt", &[]).status, 200);
}

/// What paths out of a folder are made of.
const PIECES: &[&str] = &[
    "..",
    ".",
    "/",
    "/",
    "/",
    "\\",
    "%2e",
    "%2E%2e",
    "%2f",
    "%5c",
    "%00",
    "%252e",
    "%c0%ae",
    "....",
    "%20",
    ";",
    "secret.txt",
    "root-evil",
    "leak.txt",
    "root",
    "sub",
    "hello.txt",
    "link-out",
    "~",
    "%",
    "//",
];

proptest! {
    #[test]
    fn nor_does_anything_made_of_such_pieces(pieces in prop::collection::vec(prop::sample::select(PIECES), 1..12)) {
        thread_local! {
            static SITE: (Site, Files, Under) = {
                let site = Site::new();
                let open = || site.files().hidden(true).index("secret.txt");
                let (files, under) = (open(), open().under("/static"));
                (site, files, under)
            };
        }
        let path = pieces.concat();
        SITE.with(|(_, files, under)| {
            for answer in [get(files, &path, &[]), through(under, "GET", &format!("/static/{path}"))] {
                assert!([200, 400, 404].contains(&answer.status), "{path}: {answer:?}");
                assert!(!answer.text().contains("SECRET"), "{path}");
            }
        });
    }
}

#[test]
fn hidden_files_are_shown_on_demand() {
    let site = Site::new();
    fs::create_dir_all(site.path(".well-known/sub")).unwrap();
    site.write(".well-known/security.txt", "contact");
    site.write(".well-known/.secret", "SECRET");
    let files = site.files();
    assert_eq!(get(&files, ".env", &[]).status, 404);
    assert_eq!(get(&files, "%2eenv", &[]).status, 404);
    assert_eq!(get(&files, ".well-known/security.txt", &[]).text(), "contact");
    assert_eq!(get(&files, ".well-known/.secret", &[]).status, 404);
    assert_eq!(get(&site.files().hidden(true), ".env", &[]).text(), "SECRET");
}

#[test]
fn links_within_the_folder_are_followed() {
    let site = Site::new();
    symlink("hello.txt", site.path("link.html")).unwrap();
    symlink("../hello.txt", site.path("sub/up")).unwrap();
    symlink("sub", site.path("folder")).unwrap();
    symlink("../root-evil", site.path("evil")).unwrap();
    symlink("/etc", site.path("etc")).unwrap();
    let files = site.files();
    let answer = get(&files, "link.html", &[]);
    assert_eq!(answer.text(), "hello world");
    assert_eq!(
        answer.field("content-type"),
        Some("text/html; charset=utf-8"),
        "by its own name"
    );
    assert_eq!(get(&files, "sub/up", &[]).text(), "hello world");
    assert_eq!(get(&files, "folder/inner.txt", &[]).text(), "inner page");
    for path in ["evil/leak.txt", "etc/passwd", "link-out"] {
        assert_eq!(get(&files, path, &[]).status, 404, "{path}");
    }
}

#[test]
fn only_regular_files_are_sent() {
    use rustix::fs::{CWD, FileType, Mode};
    let site = Site::new();
    let files = site.files();
    rustix::fs::mknodat(CWD, site.path("fifo"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(site.path("socket")).unwrap();
    // Where tests may not make a device, there is none to be refused.
    let _ = rustix::fs::mknodat(
        CWD,
        site.path("null"),
        FileType::CharacterDevice,
        Mode::RUSR,
        rustix::fs::makedev(1, 3),
    );
    for path in ["fifo", "socket", "null"] {
        assert_eq!(get(&files, path, &[]).status, 404, "{path}");
    }
    // A folder of devices: each is left alone.
    let devices = Files::at("/dev").unwrap();
    for path in ["null", "zero", "tty", "full"] {
        assert_eq!(get(&devices, path, &[]).status, 404, "{path}");
    }
}

#[test]
fn what_may_not_be_read_is_not_there() {
    let site = Site::new();
    fs::set_permissions(site.path("hello.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(site.path("sub"), fs::Permissions::from_mode(0o000)).unwrap();
    let may_read_anything = fs::File::open(site.path("hello.txt")).is_ok();
    let expected = if may_read_anything { 200 } else { 404 };
    for path in ["hello.txt", "sub/inner.txt"] {
        assert_eq!(get(&site.files(), path, &[]).status, expected, "{path}");
    }
    fs::set_permissions(site.path("sub"), fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_folder_is_its_index_or_nothing() {
    let site = Site::new();
    site.write("index.html", "root");
    site.write("sub/index.html", "sub");
    fs::create_dir_all(site.path("bare/deep")).unwrap();
    fs::create_dir_all(site.path("odd/index.html")).unwrap();
    let without = site.files();
    for path in ["", "sub", "sub/", "bare", "bare/"] {
        assert_eq!(get(&without, path, &[]).status, 404, "{path}");
    }
    let files = site.files().index("index.html").cache_control("*.html", "max-age=60");
    for (path, text) in [("", "root"), ("sub/", "sub"), ("sub/index.html", "sub"), ("", "root")] {
        let answer = get(&files, path, &[]);
        assert_eq!((answer.status, answer.text()), (200, text), "{path}");
        assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(answer.field("cache-control"), Some("max-age=60"));
    }
    for (path, location) in [
        ("sub", "/static/sub/"),
        ("sub?a=//evil.test&b", "/static/sub/?a=//evil.test&b"),
        ("s%75b", "/static/s%75b/"),
    ] {
        for method in ["GET", "HEAD"] {
            let answer = ask(&files, method, path, &[]);
            assert_eq!((answer.status, answer.field("location")), (308, Some(location)));
        }
    }
    for path in [
        "bare",
        "bare/",
        "odd",
        "odd/",
        "bare/deep",
        "index.html/",
        "/",
        "/evil.test/..",
    ] {
        let answer = get(&files, path, &[]);
        assert_eq!((answer.status, answer.field("location")), (404, None), "{path}");
    }
}

#[test]
fn a_redirect_never_leads_to_another_site() {
    use pw_core::{Reply, Respond};
    let site = Site::new();
    site.write("sub/index.html", "sub");
    let files = site.files().index("index.html");
    for (target, is_redirected) in [
        ("/a/sub", true),
        ("//evil.test/sub", false),
        ("/\\evil.test/sub", false),
        ("/a/", false),
    ] {
        let head = crate::client::head("GET", target, &[]);
        let mut reply = Reply::default();
        let answer = files.find(&head, "sub");
        assert_eq!(answer.is_ok(), is_redirected, "{target}");
        if let Ok(answer) = answer {
            answer.respond(&mut reply).unwrap();
            assert_eq!(reply.field(&http::header::LOCATION), Some(&b"/a/sub/"[..]));
        }
    }
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let site = Site::new();
    let error = Files::at(site.path("nothing")).unwrap_err();
    assert!(error.is_missing() && error.folder() == site.path("nothing"));
    assert!(error.to_string().contains("root/nothing` can't be served"), "{error}");
    let error = Files::at(site.path("hello.txt")).unwrap_err();
    assert!(!error.is_missing(), "{error}");
}

#[test]
#[should_panic(expected = "an index is the name of a file")]
fn an_index_is_a_name() {
    let _ = Site::new().files().index("../index.html");
}

#[test]
fn a_path_that_is_no_file_falls_back_to_the_page() {
    let site = Site::new();
    site.write("index.html", "page");
    fs::create_dir_all(site.path("bare")).unwrap();
    let files = site
        .files()
        .fallback("index.html")
        .cache_control("*.html", "max-age=60");
    for path in [
        "users",
        "users/7",
        "users/7/",
        "v1.2/users",
        "bare",
        "bare/",
        "",
        "link-out",
        "caf%C3%A9",
    ] {
        for method in ["GET", "HEAD"] {
            let answer = ask(&files, method, path, &[]);
            assert_eq!((answer.status, answer.text()), (200, "page"), "{path}");
            assert_eq!(answer.field("content-type"), Some("text/html; charset=utf-8"));
            assert_eq!(answer.field("cache-control"), Some("max-age=60"));
        }
    }
    let tag = get(&files, "index.html", &[]);
    let tag = tag.field("etag").unwrap();
    assert_eq!(get(&files, "users", &[("if-none-match", tag)]).status, 304);
    assert_eq!(get(&files, "hello.txt", &[]).text(), "hello world");
    // What is missing, and what could name nothing.
    for path in [
        "app.js",
        "users/app.js",
        "a.b/",
        ".env",
        "../secret",
        "users%2f7",
        "a//b",
        "/users",
        "a%5cb",
    ] {
        assert_eq!(get(&files, path, &[]).status, 404, "{path}");
    }
    // A folder with a page of its own comes first.
    let files = files.index("index.html");
    site.write("sub/index.html", "sub");
    assert_eq!(get(&files, "sub", &[]).field("location"), Some("/static/sub/"));
    assert_eq!(get(&files, "sub/", &[]).text(), "sub");
    fs::remove_file(site.path("index.html")).unwrap();
    let files = site.files().fallback("index.html");
    assert_eq!(get(&files, "users", &[]).status, 404, "the page is gone");
}

#[test]
#[should_panic(expected = "a fallback is the path of a file")]
fn a_fallback_is_a_path() {
    let _ = Site::new().files().fallback("/index.html");
}
