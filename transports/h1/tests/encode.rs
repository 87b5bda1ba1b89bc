//! Answer heads, to the byte.

use std::time::{Duration, UNIX_EPOCH};

use http::{HeaderName, StatusCode, header};
use pw_core::{FieldValue, Reply, Version};
use pw_h1::encode::{Answer, Content, Payload, Sent, http_date, write_chunk_size, write_head};

const DATE: &[u8; 29] = b"Sun, 06 Nov 1994 08:49:37 GMT";

/// A usual answer of five bytes.
const USUAL: Answer = Answer {
    version: Version::Http11,
    to_head: false,
    keep_alive: true,
    content: Content::Sized(5),
};

fn reply(status: u16) -> Reply {
    let mut reply = Reply::default();
    reply.set_status(StatusCode::from_u16(status).unwrap());
    reply
}

/// The head without its `date`, which is checked, and what was decided.
fn written(reply: &Reply, answer: Answer) -> (String, Sent) {
    let mut out = b"before ".to_vec();
    let sent = write_head(&mut out, reply, &answer, DATE);
    let text = String::from_utf8(out).unwrap();
    let head = text
        .strip_prefix("before ")
        .and_then(|text| text.strip_suffix("date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n"))
        .unwrap_or_else(|| panic!("{text}"));
    (head.to_owned(), sent)
}

#[test]
fn fields_leave_in_their_order_with_equal_names_together() {
    let mut reply = reply(201);
    reply.append(header::SET_COOKIE, FieldValue::from_static("a=1"));
    reply.append(header::CONTENT_TYPE, FieldValue::from_static("text/plain"));
    reply.append(header::SET_COOKIE, FieldValue::from_static("b=2"));
    reply.append(HeaderName::from_static("x-a"), FieldValue::from_static(""));
    let (head, sent) = written(&reply, USUAL);
    assert_eq!(
        head,
        "HTTP/1.1 201 Created\r\nset-cookie: a=1\r\nset-cookie: b=2\r\ncontent-type: text/plain\r\nx-a: \r\ncontent-length: 5\r\n"
    );
    assert_eq!(sent.payload, Payload::Sized(5));
    assert!(sent.keep_alive);
}

#[test]
fn connection_is_said_where_it_is_not_understood() {
    for (version, keep_alive, want) in [
        (Version::Http11, true, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n"),
        (
            Version::Http11,
            false,
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n",
        ),
        (
            Version::Http10,
            true,
            "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 5\r\n",
        ),
        (Version::Http10, false, "HTTP/1.0 200 OK\r\ncontent-length: 5\r\n"),
    ] {
        let (head, sent) = written(
            &reply(200),
            Answer {
                version,
                keep_alive,
                ..USUAL
            },
        );
        assert_eq!(head, want);
        assert_eq!(sent.keep_alive, keep_alive);
    }
    let mut closing = reply(200);
    closing.close_connection();
    let (head, sent) = written(&closing, USUAL);
    assert_eq!(head, "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 5\r\n");
    assert!(!sent.keep_alive);
}

#[test]
fn content_is_framed_by_version_method_and_status() {
    let (old, new) = (Version::Http10, Version::Http11);
    let (five, none, stream) = (Content::Sized(5), Content::Sized(0), Content::Stream);
    for (status, version, to_head, content, want, payload, keep_alive) in [
        (200, new, false, none, "content-length: 0\r\n", Payload::Sized(0), true),
        (200, new, true, five, "content-length: 5\r\n", Payload::None, true),
        (
            200,
            new,
            false,
            stream,
            "transfer-encoding: chunked\r\n",
            Payload::Chunked,
            true,
        ),
        (200, new, true, stream, "", Payload::None, true),
        (200, old, false, stream, "", Payload::UntilClose, false),
        (
            200,
            old,
            true,
            stream,
            "connection: keep-alive\r\n",
            Payload::None,
            true,
        ),
        (204, new, false, none, "", Payload::None, true),
        (204, new, false, five, "", Payload::None, true),
        (204, new, false, stream, "", Payload::None, true),
        (304, new, false, none, "", Payload::None, true),
        (304, new, true, five, "", Payload::None, true),
        (
            304,
            old,
            false,
            stream,
            "connection: keep-alive\r\n",
            Payload::None,
            true,
        ),
        (205, new, false, five, "content-length: 0\r\n", Payload::Sized(0), true),
        (404, new, false, five, "content-length: 5\r\n", Payload::Sized(5), true),
    ] {
        let answer = Answer {
            version,
            to_head,
            keep_alive: true,
            content,
        };
        let (head, sent) = written(&reply(status), answer);
        let context = format!("{status} {answer:?}");
        assert_eq!(head.split_once("\r\n").unwrap().1, want, "{context}");
        assert_eq!(sent, Sent { payload, keep_alive }, "{context}");
    }
}

#[test]
fn lengths_of_any_size_and_reasons_of_any_status_are_written() {
    for length in [1, 9, 10, 99, 1_048_576, u64::MAX] {
        let (head, _) = written(
            &reply(200),
            Answer {
                content: Content::Sized(length),
                ..USUAL
            },
        );
        assert_eq!(head, format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n"));
    }
    assert!(
        written(&reply(413), USUAL)
            .0
            .starts_with("HTTP/1.1 413 Payload Too Large\r\n")
    );
    assert!(written(&reply(799), USUAL).0.starts_with("HTTP/1.1 799 <none>\r\n"));
}

#[test]
fn dates_and_chunk_sizes() {
    assert_eq!(http_date(UNIX_EPOCH + Duration::from_secs(784_111_777)), *DATE);
    assert_eq!(&http_date(UNIX_EPOCH), b"Thu, 01 Jan 1970 00:00:00 GMT");
    let mut out = Vec::new();
    write_chunk_size(&mut out, 0x1fb);
    assert_eq!(out, b"1FB\r\n");
}
