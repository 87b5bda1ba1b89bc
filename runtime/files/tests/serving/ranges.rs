//! Ranges over files. What a field comes to is a table in `range.rs`.

use pw_core::{Content, Reply, Respond};

use crate::Site;
use crate::client::{ask, collect, get, head};

#[test]
fn a_part_is_sent_with_where_it_is_from() {
    let site = Site::new();
    site.write("large", crate::large());
    let files = site.files();
    let whole = get(&files, "hello.txt", &[]);
    for (range, part, place) in [
        ("bytes=6-", "world", "bytes 6-10/11"),
        ("bytes=-5", "world", "bytes 6-10/11"),
        ("bytes=0-0", "h", "bytes 0-0/11"),
        ("bytes=0-", "hello world", "bytes 0-10/11"),
    ] {
        let answer = get(&files, "hello.txt", &[("range", range)]);
        assert_eq!(
            (answer.status, answer.text(), answer.field("content-range")),
            (206, part, Some(place))
        );
        for (name, value) in &whole.fields {
            assert_eq!(answer.field(name), Some(&**value), "{name}");
        }
    }
    let answer = get(&files, "large", &[("range", "bytes=50000-69999")]);
    assert_eq!(answer.body, crate::large()[50_000..70_000]);
    assert_eq!(answer.field("content-range"), Some("bytes 50000-69999/100000"));
    let answer = get(&files, "hello.txt", &[("range", "bytes=11-")]);
    assert_eq!(
        (answer.status, answer.field("content-range")),
        (416, Some("bytes */11"))
    );
    for (method, path, range, status) in [
        ("GET", "hello.txt", "bytes=4-0", 200),
        ("GET", "hello.txt", "items=0-4", 200),
        ("HEAD", "hello.txt", "bytes=0-4", 200),
        ("HEAD", "hello.txt", "bytes=50-", 200),
        ("GET", "missing.txt", "bytes=0-4", 404),
    ] {
        let answer = ask(&files, method, path, &[("range", range)]);
        assert_eq!(
            (answer.status, answer.field("content-range")),
            (status, None),
            "{method} {range}"
        );
    }
}

#[test]
fn if_range_wants_the_same_file() {
    let site = Site::new();
    let files = site.files();
    let whole = get(&files, "hello.txt", &[]);
    let (etag, modified) = (whole.field("etag").unwrap(), whole.field("last-modified").unwrap());
    let weak = format!("W/{etag}");
    for (validator, status) in [
        (etag, 206),
        (modified, 206),
        (&*weak, 200),
        ("\"no-such-tag\"", 200),
        ("Sat, 01 Jan 2000 00:00:00 GMT", 200),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 200),
        ("junk", 200),
    ] {
        let answer = get(&files, "hello.txt", &[("range", "bytes=0-4"), ("if-range", validator)]);
        assert_eq!(answer.status, status, "{validator}");
        // One that can't be satisfied is not looked at, either.
        let answer = get(&files, "hello.txt", &[("range", "bytes=50-"), ("if-range", validator)]);
        assert_eq!(answer.status, if status == 206 { 416 } else { 200 }, "{validator}");
    }
}

/// The parts of a `multipart/byteranges`: where each is from, and its bytes.
fn parts(answer: &crate::client::Answer) -> Vec<(String, Vec<u8>)> {
    let media_type = answer.field("content-type").unwrap();
    let boundary = media_type
        .strip_prefix("multipart/byteranges; boundary=")
        .expect(media_type);
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let end = format!("\r\n--{boundary}--\r\n");
    let inner = text.strip_prefix(&format!("--{boundary}\r\n")).unwrap();
    let inner = inner.strip_suffix(&end).unwrap();
    inner
        .split(&format!("\r\n--{boundary}\r\n"))
        .map(|part| {
            let (fields, bytes) = part.split_once("\r\n\r\n").unwrap();
            (fields.to_owned(), bytes.as_bytes().to_vec())
        })
        .collect()
}

#[test]
fn several_parts_are_a_multipart() {
    let site = Site::new();
    site.write("large.txt", crate::large());
    let files = site.files();
    let answer = get(&files, "hello.txt", &[("range", "bytes=9-10,0-1,5-5")]);
    assert_eq!((answer.status, answer.field("content-range")), (206, None));
    assert!(answer.field("etag").is_some() && answer.field("last-modified").is_some());
    let field = |place: &str| format!("content-type: text/plain; charset=utf-8\r\ncontent-range: bytes {place}");
    assert_eq!(
        parts(&answer),
        [
            (field("9-10/11"), b"ld".to_vec()),
            (field("0-1/11"), b"he".to_vec()),
            (field("5-5/11"), b" ".to_vec())
        ]
    );
    // Longer than what is read at once.
    let answer = get(&files, "large.txt", &[("range", "bytes=-5,10-90009")]);
    let large = crate::large();
    assert_eq!(
        parts(&answer),
        [
            (field("99995-99999/100000"), large[99_995..].to_vec()),
            (field("10-90009/100000"), large[10..90_010].to_vec())
        ]
    );
    let boundaries = [(); 2].map(|()| {
        let answer = get(&files, "hello.txt", &[("range", "bytes=0-1,9-10")]);
        answer.field("content-type").unwrap().to_owned()
    });
    assert_ne!(boundaries[0], boundaries[1]);
}

#[test]
fn many_small_ranges_are_the_whole() {
    let site = Site::new();
    let files = site.files();
    let range = format!("bytes={}", vec!["0-0"; 1000].join(","));
    let answer = get(&files, "hello.txt", &[("range", &range)]);
    assert_eq!((answer.status, answer.text()), (200, "hello world"));
    let answer = get(&files, "hello.txt", &[("range", "bytes=0-4,3-10")]);
    assert_eq!(
        (answer.status, answer.field("content-range")),
        (206, Some("bytes 0-10/11"))
    );
}

#[test]
fn parts_of_a_file_that_changes_end_in_an_error() {
    let site = Site::new();
    site.write("large", crate::large());
    let files = site.files();
    let head = head("GET", "/static/large", &[("range", "bytes=0-9,50000-99999")]);
    for change in [
        |site: &Site| site.write("large", "short"),
        |site: &Site| {
            let mut longer = crate::large();
            longer[60_000] = b'x';
            longer.push(b'x');
            site.write("large", longer);
        },
    ] {
        site.write("large", crate::large());
        let mut reply = Reply::default();
        files.find(&head, "large").unwrap().respond(&mut reply).unwrap();
        let Content::Stream(stream) = reply.take() else {
            panic!("it is read as it is sent")
        };
        change(&site);
        let error = collect(stream).unwrap_err();
        assert!(error.to_string().contains("changed"), "{error}");
    }
}
