//! A refusal arrives although the client still sends: nothing it has in flight turns it into a reset.

use crate::client::{Client, chunk, chunking, declaring, get};
use crate::transport::Transport;

/// How often each is tried: what is lost now and then is lost.
const ROUNDS: usize = 10;

/// Sends all of it without a look at what comes, then reads.
fn expect_refusal(transport: Transport, request: Vec<u8>, status: u16) {
    let server = transport.start();
    for _ in 0..ROUNDS {
        let mut client = Client::to(&server);
        client.send_meanwhile(request.clone());
        let response = client.response();
        assert_eq!(response.status, status);
        assert_eq!(response.field("connection").as_deref(), Some("close"));
        client.expect_close();
    }
    Client::to(&server).expect_alive();
}

fn declared_body(transport: Transport) {
    let body = vec![b'b'; 3 << 20];
    expect_refusal(transport, [declaring("/echo", body.len()), body].concat(), 413);
}

fn chunked_body(transport: Transport) {
    let body = chunk(&[b'b'; 64 << 10]).repeat(48);
    expect_refusal(transport, [&chunking("/echo")[..], &body, b"0\r\n\r\n"].concat(), 413);
}

fn one_huge_chunk(transport: Transport) {
    let body = chunk(&vec![b'b'; 3 << 20]);
    expect_refusal(transport, [&chunking("/echo")[..], &body, b"0\r\n\r\n"].concat(), 413);
}

fn target(transport: Transport) {
    expect_refusal(transport, get(&format!("/{}", "a".repeat(1 << 20))).into_bytes(), 414);
}

fn head(transport: Transport) {
    let fields = "X: x\r\n".repeat(200_000);
    expect_refusal(
        transport,
        format!("GET / HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n").into_bytes(),
        431,
    );
}

fn grammar(transport: Transport) {
    let junk = vec![b'j'; 1 << 20];
    expect_refusal(
        transport,
        [&b"GET / HTTP/1.1\r\nHo st: a\r\n\r\n"[..], &junk].concat(),
        400,
    );
    expect_refusal(transport, [&chunking("/echo")[..], b"z\r\n", &junk].concat(), 400);
    expect_refusal(
        transport,
        [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..], &junk].concat(),
        400,
    );
}

/// HTTP/2 where nobody speaks it: 505 and a close, however its first bytes come.
fn http2(transport: Transport) {
    // The preface and an empty SETTINGS frame.
    let first: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    expect_refusal(transport, first.into(), 505);
    let server = transport.start();
    for cut in 1..first.len() {
        let mut client = Client::sending(&server, &first[..cut]);
        client.send_late(&first[cut..]);
        let response = client.response();
        assert_eq!(response.status, 505, "cut at {cut}");
        assert_eq!(response.field("connection").as_deref(), Some("close"));
        client.expect_close();
    }
}

/// The same for an answer that is no refusal: the body is not what the handler asked for.
fn answer_before_the_body(transport: Transport) {
    let server = transport.start();
    for path in ["/ignore", "/nowhere"] {
        for _ in 0..ROUNDS {
            let mut client = Client::to(&server);
            let body = vec![b'b'; 3 << 20];
            client.send_meanwhile([declaring(path, body.len()), body].concat());
            let response = client.response();
            assert!(matches!(response.status, 200 | 404));
            assert_eq!(response.field("connection").as_deref(), Some("close"));
            client.expect_close();
        }
    }
}

/// The client reads only once it has sent everything, as a simple one does.
fn a_client_that_reads_late(transport: Transport) {
    let server = transport.start();
    for _ in 0..ROUNDS {
        let mut client = Client::to(&server);
        let body = vec![b'b'; 3 << 20];
        client.send([declaring("/echo", body.len()), body].concat());
        assert_eq!(client.response().status, 413);
        client.half_close();
        client.expect_close();
    }
}

on_every_transport! {
    declared_body, chunked_body, one_huge_chunk, target, head, grammar, answer_before_the_body, a_client_that_reads_late,
}

on_http1_transports! { http2, }
