//! HTTP/2 as an attacker speaks it: what is expensive for a server ends the connection, or costs nothing; others are served.

use crate::frames::{
    ACK, Answer, CONTINUATION, DATA, END_HEADERS, END_STREAM, Frames, HEADERS, PING, RST_STREAM, SETTINGS,
    WINDOW_UPDATE, block, frame, pseudo, request,
};
use crate::transport::{Server, Transport};

fn expect_others_served(server: &Server) {
    Frames::to(server).expect_alive(1);
}

/// Streams opened and reset at once, CVE-2023-44487.
fn rapid_reset(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    let mut took = true;
    for at in 0..20_000_u32 {
        let stream = at * 2 + 1;
        let mut bytes = request(stream, END_STREAM, &pseudo("GET", "/pause", "localhost"));
        bytes.extend(frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()));
        took = client.send_late(&bytes);
        if !took {
            break;
        }
    }
    expect_others_served(&server);
    if took {
        client.expect_end();
    }
    let handled = server.application().handled();
    assert!(handled < 10_000, "{handled} of 20,000 were handled");
}

/// A header block without an end, CVE-2024-27316 and its kin.
fn endless_continuation(transport: Transport) {
    let server = transport.start();
    for piece in [Vec::new(), block(&[("x", &"x".repeat(1000))])] {
        let mut client = Frames::to(&server);
        client.send(frame(HEADERS, END_STREAM, 1, &block(&pseudo("GET", "/", "localhost"))));
        let more = frame(CONTINUATION, 0, 1, &piece).repeat(100);
        for _ in 0..1000 {
            if !client.send_late(&more) {
                break;
            }
        }
        client.send_late(&frame(CONTINUATION, END_HEADERS, 1, &[]));
        let answer = client.answer(1);
        assert!(
            matches!(answer, Answer::Gone | Answer::Reset(_) | Answer::Whole(431, _)),
            "{answer:?}"
        );
        expect_others_served(&server);
    }
    assert_eq!(server.application().handled(), 2);
}

/// Few bytes that stand for many: one large field in the table, named a thousand times.
fn compressed_bomb(transport: Transport) {
    let server = transport.start();
    let mut client = Frames::to(&server);
    let mut bomb = block(&pseudo("GET", "/", "localhost"));
    // A literal with incremental indexing, then references to it (RFC 7541 6.2.1, 6.1).
    bomb.extend_from_slice(&[0x40, 1, b'x', 127, 0xb9, 0x1e]);
    bomb.extend_from_slice(&[b'x'; 4000]);
    bomb.extend_from_slice(&[0xbe; 10_000]);
    client.send(frame(HEADERS, END_STREAM | END_HEADERS, 1, &bomb));
    let answer = client.answer(1);
    assert!(
        matches!(answer, Answer::Gone | Answer::Reset(_) | Answer::Whole(431, _)),
        "{answer:?}"
    );
    assert_eq!(server.application().handled(), 0);
    expect_others_served(&server);
}

/// Frames that ask for an answer each, from a client that reads none.
fn floods(transport: Transport) {
    let server = transport.start();
    for flood in [frame(PING, 0, 0, &[0; 8]), frame(SETTINGS, 0, 0, &[])] {
        let client = Frames::to(&server);
        client.send_meanwhile(flood.repeat(200_000));
        expect_others_served(&server);
    }
    for flood in [frame(PING, ACK, 0, &[0; 8]), frame(DATA, 0, 1, &[])] {
        let mut client = Frames::to(&server);
        client.send(request(1, 0, &pseudo("POST", "/echo", "localhost")));
        client.send_meanwhile(flood.repeat(200_000));
        expect_others_served(&server);
    }
}

/// What breaks the framing ends the connection with a GOAWAY that says so; `PROTOCOL_ERROR` says it of anything.
fn framing(transport: Transport) {
    const PROTOCOL_ERROR: u32 = 1;
    const FLOW_CONTROL_ERROR: u32 = 3;
    const FRAME_SIZE_ERROR: u32 = 6;
    const COMPRESSION_ERROR: u32 = 9;
    let server = transport.start();
    let get = |stream| request(stream, END_STREAM, &pseudo("GET", "/", "localhost"));
    for (bytes, code) in [
        (frame(DATA, 0, 1, b"idle stream"), PROTOCOL_ERROR),
        (get(2), PROTOCOL_ERROR),
        (frame(SETTINGS, 0, 0, &[0; 5]), FRAME_SIZE_ERROR),
        (frame(PING, 0, 0, &[0; 7]), FRAME_SIZE_ERROR),
        (frame(DATA, 0, 1, &vec![0; (16 << 10) + 1]), FRAME_SIZE_ERROR),
        (
            frame(WINDOW_UPDATE, 0, 0, &(u32::MAX >> 1).to_be_bytes()),
            FLOW_CONTROL_ERROR,
        ),
        (frame(CONTINUATION, END_HEADERS, 1, &[]), PROTOCOL_ERROR),
        (
            frame(HEADERS, END_STREAM | END_HEADERS, 1, &[0xff, 0xff, 0xff, 0xff, 0xff]),
            COMPRESSION_ERROR,
        ),
    ] {
        let mut client = Frames::to(&server);
        client.send(&bytes);
        let goaway = client.goaway();
        let code_fits = goaway.is_some_and(|(_, found)| found == code || found == PROTOCOL_ERROR);
        assert!(code_fits, "{}: {goaway:?}", bytes[..bytes.len().min(20)].escape_ascii());
        client.expect_end();
        expect_others_served(&server);
    }
}

on_http2_transports! { rapid_reset, endless_continuation, compressed_bomb, floods, framing, }
