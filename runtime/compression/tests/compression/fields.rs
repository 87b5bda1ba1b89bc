//! What is compressed, and what its fields say.

use http::StatusCode;
use pw_compression::{Coding, Compression};
use pw_core::Reply;

use crate::script::{content, decode, field, get, prose, request, set, text};

const ALL: &str = "gzip, br, zstd";

fn best() -> Coding {
    Coding::ALL[0]
}

#[tokio::test]
async fn an_answer_says_how_it_is_encoded_and_what_that_depends_on() {
    let mut reply = get(ALL, Compression::new(), text(prose(5000))).await;
    assert_eq!(field(&reply, "content-encoding"), Some(best().name()));
    assert_eq!(field(&reply, "vary"), Some("accept-encoding"));
    assert!(reply.length().is_some_and(|length| length < 5000), "it has a length");
    assert_eq!(decode(best(), &content(&mut reply).await), prose(5000));

    for fields in [&[][..], &[("Accept-Encoding", "identity")], &[("Accept-Encoding", "")]] {
        let mut reply = request("GET", fields, Compression::new(), text(prose(5000))).await;
        assert_eq!(field(&reply, "content-encoding"), None);
        assert_eq!(field(&reply, "vary"), Some("accept-encoding"), "it could have been");
        assert_eq!(content(&mut reply).await, prose(5000));
    }
}

#[tokio::test]
async fn an_application_chooses_codings() {
    let gzip = Compression::new().codings(&[Coding::Gzip, Coding::Br]);
    let reply = get(ALL, gzip, text(prose(5000))).await;
    assert_eq!(field(&reply, "content-encoding"), Some("gzip"));
    let reply = get("gzip;q=0.5, br;q=0.6", gzip, text(prose(5000))).await;
    assert_eq!(field(&reply, "content-encoding"), Some("br"));
    let reply = get("br", Compression::new().codings(&[Coding::Gzip]), text(prose(5000))).await;
    assert_eq!(field(&reply, "content-encoding"), None);
}

#[tokio::test]
async fn what_gains_nothing_is_left_alone() {
    type Change = fn(&mut Reply);
    let cases: [(&str, Change); 11] = [
        ("short", |reply| reply.set_content(prose(1023))),
        ("empty", |reply| reply.set_content("")),
        ("an image", |reply| {
            reply.remove(&http::header::CONTENT_TYPE);
            set(reply, "content-type", "image/png");
        }),
        ("of no type", |reply| reply.remove(&http::header::CONTENT_TYPE)),
        ("encoded", |reply| set(reply, "content-encoding", "br")),
        ("a part", |reply| reply.set_status(StatusCode::PARTIAL_CONTENT)),
        ("ranged", |reply| set(reply, "content-range", "bytes 0-4999/9000")),
        ("no content", |reply| reply.set_status(StatusCode::NO_CONTENT)),
        ("reset", |reply| reply.set_status(StatusCode::RESET_CONTENT)),
        ("not to be transformed", |reply| {
            set(reply, "cache-control", "max-age=60");
            set(reply, "cache-control", "private, No-Transform");
        }),
        ("with a digest", |reply| set(reply, "content-digest", "sha-256=:x:")),
    ];
    for (what, change) in cases {
        let handler = |reply: &mut Reply| {
            text(prose(5000))(reply);
            set(reply, "etag", "\"x\"");
            change(reply);
        };
        let mut plain = Reply::default();
        handler(&mut plain);
        let mut reply = get(ALL, Compression::new(), handler).await;
        let fields = |reply: &Reply| format!("{:?}", reply.fields().collect::<Vec<_>>());
        assert_eq!(fields(&reply), fields(&plain), "{what}");
        assert_eq!(content(&mut reply).await, content(&mut plain).await, "{what}");
    }
    let reply = get(ALL, Compression::new(), text(prose(1024))).await;
    assert!(field(&reply, "content-encoding").is_some(), "as short as it may be");
    let reply = get(ALL, Compression::new().min_length(0), text("")).await;
    assert_eq!(field(&reply, "content-encoding"), None);
}

#[tokio::test]
async fn errors_are_compressed_like_anything_else() {
    let reply = get(ALL, Compression::new(), |reply| {
        text(prose(5000))(reply);
        reply.set_status(StatusCode::NOT_FOUND);
    })
    .await;
    assert_eq!(reply.status(), StatusCode::NOT_FOUND);
    assert!(field(&reply, "content-encoding").is_some());
}

#[tokio::test]
async fn entity_tags_become_weak_and_ranges_are_not_offered() {
    for (tag, expected) in [("\"x\"", "W/\"x\""), ("W/\"x\"", "W/\"x\"")] {
        let handler = |reply: &mut Reply| {
            text(prose(5000))(reply);
            set(reply, "etag", tag);
            set(reply, "accept-ranges", "bytes");
        };
        let reply = get(ALL, Compression::new(), handler).await;
        assert_eq!(field(&reply, "etag"), Some(expected));
        assert_eq!(field(&reply, "accept-ranges"), None);
        let reply = get("identity", Compression::new(), handler).await;
        assert_eq!(field(&reply, "etag"), Some(tag), "as it is");
        assert_eq!(field(&reply, "accept-ranges"), Some("bytes"));
    }
}

#[tokio::test]
async fn what_varies_already_varies_once_more() {
    for (before, after) in [
        (&["origin"][..], &["origin", "accept-encoding"][..]),
        (&["origin, Accept-Encoding"], &["origin, Accept-Encoding"]),
        (&["origin", "accept-encoding"], &["origin", "accept-encoding"]),
        (&["*"], &["*"]),
    ] {
        let reply = get("identity", Compression::new(), |reply| {
            text(prose(5000))(reply);
            before.iter().for_each(|value| set(reply, "vary", value));
        })
        .await;
        let vary: Vec<_> = reply.fields().filter(|(name, _)| *name == "vary").collect();
        let after: Vec<_> = after.iter().map(|value| ("vary", value.as_bytes())).collect();
        assert_eq!(vary, after);
    }
}

#[tokio::test]
async fn a_304_has_the_tag_that_the_client_knows() {
    for (known, tag) in [
        ("W/\"x\"", "W/\"x\""),
        ("\"a\", W/\"x\"", "W/\"x\""),
        ("\"x\"", "\"x\""),
        ("*", "\"x\""),
    ] {
        let fields = [("Accept-Encoding", ALL), ("If-None-Match", known)];
        let reply = request("GET", &fields, Compression::new(), |reply| {
            reply.set_status(StatusCode::NOT_MODIFIED);
            set(reply, "etag", "\"x\"");
        })
        .await;
        assert_eq!(field(&reply, "etag"), Some(tag), "{known}");
        assert_eq!(field(&reply, "vary"), Some("accept-encoding"));
        assert_eq!(field(&reply, "content-encoding"), None);
    }
}

#[tokio::test]
async fn head_has_the_fields_of_get_but_for_a_length_nobody_knows() {
    let handler = |reply: &mut Reply| {
        text(prose(5000))(reply);
        set(reply, "etag", "\"x\"");
    };
    let fields = [("Accept-Encoding", ALL)];
    let get = request("GET", &fields, Compression::new(), handler).await;
    let head = request("HEAD", &fields, Compression::new(), handler).await;
    assert_eq!(get.fields().collect::<Vec<_>>(), head.fields().collect::<Vec<_>>());
    assert_eq!(head.length(), None);
    let head = request("HEAD", &[], Compression::new(), handler).await;
    assert_eq!(head.length(), Some(5000), "what is not compressed has its length");
}
