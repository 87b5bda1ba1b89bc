//! What is kept of files between requests: it costs nothing, and it notices changes.

use std::fs;
use std::time::Duration;

use pw_core::{Reply, Respond};
use pw_files::{CacheSize, Files};

use crate::Site;
use crate::client::{get, head};

/// Looks again at each request: tests need not wait.
fn always(site: &Site) -> Files {
    site.files().recheck(Duration::ZERO)
}

/// Never looks again, as long as a test runs.
fn never(site: &Site) -> Files {
    site.files().recheck(Duration::from_secs(3600))
}

#[test]
fn a_change_is_noticed_whatever_it_is() {
    let site = Site::new();
    let files = always(&site);
    let changes: [fn(&Site); 6] = [
        |site| site.write("hello.txt", "hello again, all of you"),
        |site| site.write("hello.txt", "short"),
        |site| site.write("hello.txt", crate::large()),
        |site| site.write("hello.txt", &crate::large()[..50_000]),
        |site| {
            site.write("new", "replaced");
            fs::rename(site.path("new"), site.path("hello.txt")).unwrap();
        },
        |site| {
            // Of the same length, and as old as before.
            let modified = fs::metadata(site.path("hello.txt")).unwrap().modified().unwrap();
            site.write("new", "REPLACED");
            let file = fs::File::options().write(true).open(site.path("new")).unwrap();
            file.set_modified(modified).unwrap();
            fs::rename(site.path("new"), site.path("hello.txt")).unwrap();
        },
    ];
    let mut before = get(&files, "hello.txt", &[]);
    for change in changes {
        change(&site);
        let after = get(&files, "hello.txt", &[]);
        assert!(
            after.body == fs::read(site.path("hello.txt")).unwrap(),
            "it is the new one"
        );
        assert_ne!(after.field("etag"), before.field("etag"));
        let etag = before.field("etag").unwrap();
        assert_eq!(get(&files, "hello.txt", &[("if-match", etag)]).status, 412);
        before = after;
    }
    fs::remove_file(site.path("hello.txt")).unwrap();
    assert_eq!(get(&files, "hello.txt", &[]).status, 404);
    site.write("hello.txt", "back");
    assert_eq!(get(&files, "hello.txt", &[]).text(), "back");
    fs::remove_file(site.path("hello.txt")).unwrap();
    std::os::unix::fs::symlink("../secret.txt", site.path("hello.txt")).unwrap();
    assert_eq!(get(&files, "hello.txt", &[]).status, 404);
}

#[test]
fn so_is_a_change_of_what_lies_beside_it() {
    let site = Site::new();
    let files = always(&site);
    let gzip = [("accept-encoding", "gzip")];
    assert_eq!(get(&files, "hello.txt", &gzip).text(), "hello world");
    site.write("hello.txt.gz", "coded");
    assert_eq!(get(&files, "hello.txt", &gzip).text(), "coded");
    site.write("hello.txt.gz", "again");
    assert_eq!(get(&files, "hello.txt", &gzip).text(), "again");
    fs::remove_file(site.path("hello.txt.gz")).unwrap();
    assert_eq!(get(&files, "hello.txt", &gzip).text(), "hello world");
}

#[test]
fn a_short_file_is_as_it_was_until_it_is_looked_at_again() {
    let site = Site::new();
    let files = never(&site);
    let before = get(&files, "hello.txt", &[]);
    site.write("new", "other");
    fs::rename(site.path("new"), site.path("hello.txt")).unwrap();
    let after = get(&files, "hello.txt", &[]);
    assert_eq!((before.body, before.fields), (after.body, after.fields));
    assert_eq!(get(&always(&site), "hello.txt", &[]).text(), "other");
}

#[test]
fn an_open_file_is_not_sent_when_it_is_no_longer_what_it_was() {
    let site = Site::new();
    site.write("large", crate::large());
    let files = never(&site);
    let mut before = get(&files, "large", &[]);
    let changes: [fn(&Site, &[u8]); 2] = [
        |site, content| site.write("large", content),
        |site, content| {
            site.write("new", content);
            fs::rename(site.path("new"), site.path("large")).unwrap();
        },
    ];
    for change in changes {
        let longer = [&before.body[..], b"more"].concat();
        change(&site, &longer);
        let after = get(&files, "large", &[]);
        assert!(after.body == longer, "it is the new one");
        assert_ne!(after.field("etag"), before.field("etag"));
        before = after;
    }
}

#[test]
fn without_a_cache_it_is_the_same() {
    let site = Site::new();
    let files = never(&site).cache_size(CacheSize {
        files: 0,
        ..CacheSize::default()
    });
    let before = get(&files, "hello.txt", &[]);
    assert_eq!(before.fields, get(&files, "hello.txt", &[]).fields);
    site.write("hello.txt", "changed");
    assert_eq!(get(&files, "hello.txt", &[]).text(), "changed");
}

/// The least that one request allocates, with a head and a reply that were used before.
fn allocations(files: &Files, path: &str, fields: &[(&str, &str)]) -> u64 {
    let head = head("GET", &format!("/static/{path}"), fields);
    let mut reply = Reply::default();
    let mut request = || {
        files.find(&head, path).unwrap().respond(&mut reply).unwrap();
        assert!([200, 304].contains(&reply.status().as_u16()));
        drop(reply.take());
        reply.recycle(10_000);
    };
    request();
    request();
    allocation_counter::measure(request).count_total
}

#[test]
fn a_cached_file_costs_no_allocation() {
    let site = Site::new();
    site.write("large", crate::large());
    site.write("hello.txt.gz", "coded");
    site.write("index.html", "index");
    let files = never(&site).index("index.html");
    for path in ["hello.txt", "large", "sub/inner.txt", "", "index.html"] {
        assert_eq!(allocations(&files, path, &[]), 0, "{path}");
        let browser = [("accept-encoding", "gzip, deflate, br, zstd")];
        assert_eq!(allocations(&files, path, &browser), 0, "{path}");
        let etag = get(&files, path, &browser).field("etag").unwrap().to_owned();
        let conditional = [browser[0], ("if-none-match", &*etag)];
        assert_eq!(allocations(&files, path, &conditional), 0, "{path}");
    }
    // It counts at all.
    assert!(allocations(&always(&site), "hello.txt", &[]) > 0);
}
