//! Heads: what is taken, what is refused and how, and that neither depends on how the bytes come.

mod common;

use common::heads::{REFUSED, TAKEN, bytes};
use common::{Outcome, parse, parse_in_steps};
use pw_core::{HeadBuffer, Limits, Version};
use pw_h1::{Framing, HeadParser, Verdict};

/// The verdict on `text`, in which `^` is the end of a usual request line and a host: ` HTTP/1.1`, CR LF, `Host: localhost`.
fn judge(text: &str) -> Outcome {
    parse(&bytes(text))
}

fn status(text: &str) -> u16 {
    match judge(text) {
        Ok(Some(_)) => 200,
        Ok(None) => 0,
        Err(refusal) => refusal.kind.status().as_u16(),
    }
}

fn verdict(text: &str) -> Verdict {
    match judge(text) {
        Ok(Some((verdict, _))) => verdict,
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn what_is_taken_is_shown_as_it_was_sent() {
    for (text, want) in TAKEN {
        let input = bytes(text);
        let (verdict, head) = judge(text).unwrap().unwrap_or_else(|| panic!("{text:?} is not whole"));
        assert_eq!(head, *want, "{text:?}");
        assert_eq!(verdict.consumed, input.len(), "{text:?}");
        assert_eq!(
            verdict.start,
            input.iter().take_while(|b| b.is_ascii_whitespace()).count()
        );
    }
}

#[test]
fn what_is_wrong_is_refused() {
    for (want, texts) in REFUSED {
        for text in *texts {
            let outcome = judge(text);
            assert_eq!(status(text), *want, "{text:?}: {outcome:?}");
        }
    }
}

#[test]
fn no_verdict_depends_on_how_the_bytes_come() {
    let limits = Limits::default();
    let refused = REFUSED.iter().flat_map(|(_, texts)| texts.iter().copied());
    for text in TAKEN.iter().map(|(text, _)| *text).chain(refused) {
        let mut input = bytes(text);
        input.extend_from_slice(b"the body: \x00\r\n");
        let want = parse(&input);
        assert_eq!(
            parse_in_steps(&input, 0..input.len(), &limits),
            want,
            "{text:?} byte by byte"
        );
        for at in 0..input.len() {
            assert_eq!(parse_in_steps(&input, [at], &limits), want, "{text:?} split at {at}");
        }
    }
}

#[test]
fn a_refusal_comes_with_the_first_wrong_byte() {
    for text in [
        "\u{16}",
        "G\u{e9}",
        "GET \0",
        "GET /\u{1}",
        "GET / X",
        "GET / HTTP/3.0\r\n",
        "GET / HTTP/1.1\n",
        "GET /^\r\n ",
        "GET /^\r\nX-\n",
        "GET /^\r\nX: \0",
        "GET /^\r\nX: y\rz",
        "GET /^\r\n\rx",
    ] {
        assert!(judge(text).is_err(), "{text:?}");
        let input = bytes(text);
        assert_eq!(
            parse(&input[..input.len() - 1]),
            Ok(None),
            "{text:?} without its last byte"
        );
    }
}

#[test]
fn the_framing_is_none_a_length_or_chunks() {
    for (fields, want) in [
        ("", Framing::None),
        ("Content-Length: 0\r\n", Framing::Length(0)),
        ("content-length:5\r\n", Framing::Length(5)),
        ("Content-Length:\t5 \t \r\n", Framing::Length(5)),
        (
            "CONTENT-LENGTH: 999999999999999999\r\n",
            Framing::Length(999_999_999_999_999_999),
        ),
        ("Transfer-Encoding: chunked\r\n", Framing::Chunked),
        ("transfer-encoding:CHUNKED\r\n", Framing::Chunked),
        (
            "TE: trailers, chunked\r\nTransfer-Encoding: \tChunked \r\n",
            Framing::Chunked,
        ),
        (
            "X-Transfer-Encoding: gzip\r\nContent-Length: 1\r\nTransfer_Encoding: chunked\r\n",
            Framing::Length(1),
        ),
    ] {
        assert_eq!(verdict(&format!("POST /^\r\n{fields}\r\n")).framing, want, "{fields:?}");
    }
}

#[test]
fn the_connection_is_kept_as_both_sides_mean_it() {
    for (fields, one, zero) in [
        ("", true, false),
        ("Connection: close\r\n", false, false),
        ("CONNECTION:\tClOsE\t\r\n", false, false),
        ("Connection: closed\r\n", true, false),
        ("Connection: clos\r\n", true, false),
        ("Connection: foo\r\n", true, false),
        ("Connection:\r\n", true, false),
        ("Connection: keep-alive\r\n", true, true),
        ("Connection: Keep-Alive\r\n", true, true),
        ("Connection: foo , keep-alive\r\n", true, true),
        ("Connection: close, keep-alive\r\n", false, false),
        ("Connection: keep-alive,close\r\n", false, false),
        ("Connection: , ,close,\r\n", false, false),
        ("Connection: keep-alive\r\nConnection: close\r\n", false, false),
        ("Connection: close\r\nConnection: keep-alive\r\n", false, false),
        ("Connection: close\r\nConnection: foo\r\n", false, false),
        ("Connection: close, upgrade\r\nUpgrade: foo/1\r\n", false, false),
        ("Proxy-Connection: close\r\n", true, false),
    ] {
        let head = |version| format!("GET / HTTP/1.{version}\r\nHost: a\r\n{fields}\r\n");
        assert_eq!(verdict(&head(1)).keep_alive, one, "1.1 {fields:?}");
        assert_eq!(verdict(&head(0)).keep_alive, zero, "1.0 {fields:?}");
    }
}

#[test]
fn an_upgrade_needs_both_fields() {
    for (fields, want) in [
        ("Connection: upgrade\r\nUpgrade: websocket\r\n", true),
        ("Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n", true),
        ("Connection: upgrade\r\n", false),
        ("Upgrade: websocket\r\n", false),
        ("Connection: upgraded\r\nUpgrade: websocket\r\n", false),
    ] {
        assert_eq!(verdict(&format!("GET /^\r\n{fields}\r\n")).upgrade, want, "{fields:?}");
    }
    assert!(!verdict("GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n").upgrade);
}

#[test]
fn an_interim_answer_is_wanted_before_a_body_only() {
    for (head, want) in [
        ("POST /^\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n", true),
        ("POST /^\r\nContent-Length: 5\r\neXPECT: 100-Continue\r\n\r\n", true),
        (
            "POST /^\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n",
            true,
        ),
        (
            "POST /^\r\nExpect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
            true,
        ),
        ("GET /^\r\nExpect: 100-continue\r\n\r\n", false),
        ("POST /^\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n", false),
        (
            "POST / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
            false,
        ),
    ] {
        assert_eq!(verdict(head).expect_continue, want, "{head:?}");
    }
}

#[test]
fn versions_and_head_are_told() {
    assert_eq!(verdict("GET /^\r\n\r\n").version, Version::Http11);
    assert_eq!(verdict("GET / HTTP/1.0\r\n\r\n").version, Version::Http10);
    assert!(verdict("HEAD /^\r\n\r\n").is_head);
    assert!(!verdict("head /^\r\n\r\n").is_head);
    for (text, want) in [
        ("HEAD /^\r\nX y\r\n", true),
        ("HEAD / X", true),
        ("GET / X", false),
        ("HEAD\0", false),
    ] {
        assert_eq!(judge(text).unwrap_err().to_head, want, "{text:?}");
    }
}

#[test]
fn limits_hold_at_their_edge() {
    let limits = Limits {
        target: 20,
        head: 200,
        fields: 3,
        ..Limits::default()
    };
    let status = |text: String| {
        let input = bytes(&text);
        let outcome = parse_in_steps(&input, [], &limits);
        assert_eq!(parse_in_steps(&input, 0..input.len(), &limits), outcome, "{text:?}");
        match outcome {
            Ok(Some(_)) => 200,
            Ok(None) => 0,
            Err(refusal) => refusal.kind.status().as_u16(),
        }
    };
    let target = |length: usize| format!("GET /{}^\r\n\r\n", "a".repeat(length - 1));
    assert_eq!(status(target(20)), 200);
    assert_eq!(status(target(21)), 414);
    assert_eq!(status(format!("GET /{}", "a".repeat(20))), 414);
    assert_eq!(status(format!("GET /?{}", "a".repeat(1000))), 414);
    let fields = |count: usize| format!("GET /^\r\n{}\r\n", "X: y\r\n".repeat(count - 1));
    assert_eq!(status(fields(3)), 200);
    assert_eq!(status(fields(4)), 431);
    let value = |length: usize| format!("GET /^\r\nX: {}\r\n\r\n", "a".repeat(length - 40));
    assert_eq!(bytes(&value(200)).len(), 200);
    assert_eq!(status(value(200)), 200);
    assert_eq!(status(value(201)), 431);
    assert_eq!(status(format!("GET /^\r\nX: {}", "a".repeat(1000))), 431);
    assert_eq!(status(format!("GET /^\r\n{}", "x".repeat(1000))), 431);
    assert_eq!(status("A".repeat(1000)), 431);
}

#[test]
fn a_parser_and_a_head_serve_one_request_after_another() {
    let (mut parser, mut head, limits) = (HeadParser::default(), HeadBuffer::default(), Limits::default());
    let input =
        bytes("GET /one?a^\r\nX-A: b\r\nConnection: close\r\n\r\nPOST /two HTTP/1.0\r\n\r\n\r\nGET http://x/^\r\n\r\n");
    let (mut at, mut seen) = (0, Vec::new());
    while at < input.len() {
        let verdict = parser.parse(&input[at..], &limits, &mut head).unwrap().unwrap();
        at += verdict.consumed;
        let shown = common::Head(std::mem::take(&mut head));
        seen.push(format!("{} {}", common::describe(&shown), verdict.keep_alive));
        head = shown.0;
        assert!(parser.is_idle());
    }
    assert_eq!(
        seen,
        [
            "GET /one ?a @localhost [host:localhost] [x-a:b] [connection:close] false",
            "POST /two ? @ false",
            "GET / ? @x [host:localhost] true",
        ]
    );
}
