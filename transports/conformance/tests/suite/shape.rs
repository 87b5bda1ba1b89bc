//! The shape of answers, byte for byte, so that every transport's are the same.

use crate::client::{Client, End};
use crate::transport::{Server, Transport};

const ID: &str = "X-Request-Id: the-id\r\nConnection: close\r\n\r\n";

/// Sends a request whose connection ends with its answer, and gives all of it, the date left out.
fn answer(server: &Server, request: &str) -> String {
    let mut client = Client::sending(server, request);
    let End::Closed(bytes) = client.end() else {
        panic!("reset")
    };
    let text = String::from_utf8(bytes).expect("these answers are text");
    let (before, rest) = text.split_once("date: ").unwrap_or_else(|| panic!("no date: {text}"));
    let (date, after) = rest.split_once("\r\n").expect("fields end in CR LF");
    assert!(date.len() == 29 && date.ends_with(" GMT"), "{date}");
    assert!(!after.contains("date: "), "a second date: {text}");
    format!("{before}date\r\n{after}")
}

fn check(transport: Transport, request: &str, wanted: &str) {
    let server = transport.start();
    assert_eq!(answer(&server, request), wanted, "{request}");
}

fn text(transport: Transport) {
    check(
        transport,
        &format!("GET / HTTP/1.1\r\nHost: a\r\n{ID}"),
        "HTTP/1.1 200 OK\r\n\
         content-type: text/plain; charset=utf-8\r\n\
         x-request-id: the-id\r\n\
         connection: close\r\n\
         content-length: 2\r\n\
         date\r\n\r\nok",
    );
}

fn head(transport: Transport) {
    check(
        transport,
        &format!("HEAD / HTTP/1.1\r\nHost: a\r\n{ID}"),
        "HTTP/1.1 200 OK\r\n\
         content-type: text/plain; charset=utf-8\r\n\
         x-request-id: the-id\r\n\
         connection: close\r\n\
         content-length: 2\r\n\
         date\r\n\r\n",
    );
}

fn no_content(transport: Transport) {
    check(
        transport,
        &format!("OPTIONS /echo HTTP/1.1\r\nHost: a\r\n{ID}"),
        "HTTP/1.1 204 No Content\r\n\
         allow: OPTIONS, POST\r\n\
         x-request-id: the-id\r\n\
         connection: close\r\n\
         date\r\n\r\n",
    );
}

fn problem(transport: Transport) {
    check(
        transport,
        &format!("GET /nowhere HTTP/1.1\r\nHost: a\r\n{ID}"),
        "HTTP/1.1 404 Not Found\r\n\
         content-type: application/problem+json\r\n\
         x-request-id: the-id\r\n\
         connection: close\r\n\
         content-length: 74\r\n\
         date\r\n\r\n\
         {\"type\":\"urn:polywire:problem:not-found\",\"title\":\"Not found\",\"status\":404}",
    );
}

/// A refusal before there is a request: no chain ran, so there is no request id.
fn refusal(transport: Transport) {
    let server = transport.start();
    let answer = answer(&server, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head has an end");
    let length = format!("content-length: {}", body.len());
    let wanted = [
        "HTTP/1.1 400 Bad Request",
        "content-type: application/problem+json",
        "connection: close",
        &length,
        "date",
    ];
    assert_eq!(head.split("\r\n").collect::<Vec<_>>(), wanted);
    assert!(
        body.starts_with("{\"type\":\"urn:polywire:problem:bad-request\""),
        "{body}"
    );
}

/// As hyper does, and every transport with it: the client's own version, and no word on the close that is the rule there.
fn http10(transport: Transport) {
    check(
        transport,
        "GET / HTTP/1.0\r\nX-Request-Id: the-id\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\
         content-type: text/plain; charset=utf-8\r\n\
         x-request-id: the-id\r\n\
         content-length: 2\r\n\
         date\r\n\r\nok",
    );
}

/// No word on it either where the client would have kept the connection, and the server does not.
fn http10_closing(transport: Transport) {
    check(
        transport,
        "GET /close HTTP/1.0\r\nX-Request-Id: the-id\r\nConnection: keep-alive\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\
         content-type: text/plain; charset=utf-8\r\n\
         x-request-id: the-id\r\n\
         content-length: 8\r\n\
         date\r\n\r\nthe last",
    );
}

/// Whatever the handler wrote: content here would be taken for the next answer.
fn reset_content(transport: Transport) {
    check(
        transport,
        &format!("GET /status/205 HTTP/1.1\r\nHost: a\r\n{ID}"),
        "HTTP/1.1 205 Reset Content\r\n\
         content-type: text/plain; charset=utf-8\r\n\
         x-request-id: the-id\r\n\
         connection: close\r\n\
         content-length: 0\r\n\
         date\r\n\r\n",
    );
}

/// The connection goes on only if it is said, in HTTP/1.0.
fn http10_keep_alive(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    for _ in 0..2 {
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        let response = client.response();
        assert_eq!(response.field("connection").as_deref(), Some("keep-alive"));
        assert_eq!(response.body, b"ok");
    }
    client.expect_alive();
}

/// An id is taken over only if it can do no harm, and every request has its own.
fn request_ids(transport: Transport) {
    let server = transport.start();
    let mut client = Client::to(&server);
    let mut seen = Vec::new();
    for bad in ["", "caf\u{e9}", &"x".repeat(129), "a\tb"] {
        client.send(format!("GET / HTTP/1.1\r\nHost: a\r\nX-Request-Id: {bad}\r\n\r\n"));
        seen.push(client.response().field("x-request-id").expect("every answer has one"));
    }
    assert!(
        seen.iter()
            .all(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit())),
        "{seen:?}"
    );
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 4);
    let longest = "x".repeat(128);
    client.send(format!(
        "GET /nowhere HTTP/1.1\r\nHost: a\r\nX-Request-Id: {longest}\r\n\r\n"
    ));
    assert_eq!(client.response().field("x-request-id"), Some(longest));
}

/// 100 comes when the body is asked for, and not when it is not.
fn expect_continue(transport: Transport) {
    let server = transport.start();
    let head =
        |path: &str| format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    let mut client = Client::sending(&server, head("/echo"));
    assert_eq!(client.any_response("POST").status, 100);
    client.send("hi");
    assert_eq!(client.any_response("POST").body, b"hi");
    client.expect_alive();
    for path in ["/ignore", "/nowhere"] {
        let mut client = Client::sending(&server, head(path));
        let response = client.any_response("POST");
        assert!(matches!(response.status, 200 | 404), "{}", response.status);
        assert_eq!(
            response.field("connection").as_deref(),
            Some("close"),
            "whether a body follows is not known"
        );
        client.half_close();
        client.expect_close();
    }
}

on_every_transport! {
    text, head, no_content, reset_content, problem, refusal, http10, http10_closing, http10_keep_alive, request_ids, expect_continue,
}
