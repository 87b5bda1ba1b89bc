//! The protocol against an echo, frame by frame, as written by hand.

use crate::support::{Client, MASK, echo, echo_client, frame, open_with};
use pw_ws::WebSocket;

/// What comes back to `bytes`: frames, then the code of a close frame, and the end of the connection.
async fn answers(bytes: &[u8]) -> (Vec<(u8, Vec<u8>)>, u16) {
    let mut client = echo_client();
    client.write(bytes).await;
    let mut frames = Vec::new();
    loop {
        match client.receive().await {
            (8, payload) => {
                let code = crate::support::code_of(&payload);
                client.end().await;
                return (frames, code);
            }
            frame => frames.push(frame),
        }
    }
}

async fn expect(bytes: &[u8], messages: &[(u8, &[u8])], code: u16) {
    let (frames, found) = answers(bytes).await;
    let frames: Vec<_> = frames.iter().map(|(opcode, payload)| (*opcode, &payload[..])).collect();
    assert_eq!(frames, messages, "{:x?}", &bytes[..bytes.len().min(40)]);
    assert_eq!(found, code, "{:x?}", &bytes[..bytes.len().min(40)]);
}

fn done() -> Vec<u8> {
    frame(0x88, &1000_u16.to_be_bytes())
}

#[tokio::test]
async fn messages_come_back() {
    for length in [0, 1, 3, 4, 15, 16, 17, 125, 126, 127, 65_535, 65_536, 1 << 20] {
        let mut client = echo_client();
        let payload = vec![b'a'; length];
        for opcode in [1, 2] {
            let (mut read, mut write) = tokio::io::split(client.stream);
            let bytes = frame(0x80 | opcode, &payload);
            let writing = tokio::spawn(async move {
                tokio::io::AsyncWriteExt::write_all(&mut write, &bytes)
                    .await
                    .expect("it is read");
                write
            });
            let header = if length < 126 {
                2
            } else if length < 65_536 {
                4
            } else {
                10
            };
            let mut answer = vec![0; header + length];
            tokio::io::AsyncReadExt::read_exact(&mut read, &mut answer)
                .await
                .expect("it comes");
            assert_eq!(answer[0], 0x80 | opcode);
            assert_eq!(answer[header..], payload, "{length}");
            client.stream = read.unsplit(writing.await.expect("it ends"));
        }
    }
}

#[tokio::test]
async fn pieces_are_put_together() {
    let hello = [frame(0x01, b"Hel"), frame(0x80, b"lo"), done()].concat();
    expect(&hello, &[(1, b"Hello")], 1000).await;
    let split = [frame(0x01, &[0xce]), frame(0x00, b""), frame(0x80, &[0xba]), done()].concat();
    expect(&split, &[(1, "κ".as_bytes())], 1000).await;
    let between = [
        frame(0x01, b"Hel"),
        frame(0x89, b"x"),
        frame(0x8a, b"y"),
        frame(0x80, b"lo"),
        done(),
    ]
    .concat();
    expect(&between, &[(10, b"x"), (1, b"Hello")], 1000).await;
    let binary = [frame(0x02, &[0xff]), frame(0x00, &[0xfe]), frame(0x80, &[0]), done()].concat();
    expect(&binary, &[(2, &[0xff, 0xfe, 0])], 1000).await;
}

#[tokio::test]
async fn pings_are_answered_and_pongs_are_not() {
    for length in [0, 3, 125] {
        let payload = vec![b'p'; length];
        expect(&[frame(0x89, &payload), done()].concat(), &[(10, &payload)], 1000).await;
    }
    expect(
        &[frame(0x8a, b"x"), frame(0x81, b"Hello"), done()].concat(),
        &[(1, b"Hello")],
        1000,
    )
    .await;
}

#[tokio::test]
async fn a_hundred_messages_in_one_write_come_back_in_order() {
    let texts: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    let mut bytes: Vec<u8> = texts.iter().flat_map(|text| frame(0x81, text.as_bytes())).collect();
    bytes.extend(done());
    let expected: Vec<_> = texts.iter().map(|text| (1, text.as_bytes())).collect();
    expect(&bytes, &expected, 1000).await;
}

#[tokio::test]
async fn bytes_may_come_one_by_one() {
    let mut client = echo_client();
    for byte in [
        frame(0x81, b"Hello"),
        frame(0x89, b"abc"),
        frame(0x81, "κόσμε".as_bytes()),
    ]
    .concat()
    {
        client.write(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(client.receive().await, (1, b"Hello".to_vec()));
    assert_eq!(client.receive().await, (10, b"abc".to_vec()));
    assert_eq!(client.receive().await, (1, "κόσμε".into()));
}

#[tokio::test]
async fn a_frame_that_came_with_the_handshake_is_not_lost() {
    let mut client: Client = open_with(WebSocket::options(), 1000, &frame(0x81, b"Hello"), echo);
    assert_eq!(client.receive().await, (1, b"Hello".to_vec()));
}

#[tokio::test]
async fn what_breaks_the_protocol_is_1002() {
    let mut not_minimal_16 = vec![0x81, 0xfe, 0, 5];
    not_minimal_16.extend(MASK);
    let mut not_minimal_64 = vec![0x81, 0xff, 0, 0, 0, 0, 0, 0, 0, 5];
    not_minimal_64.extend(MASK);
    let mut above_63_bits = vec![0x82, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0];
    above_63_bits.extend(MASK);
    for bytes in [
        b"\x81\x05Hello".to_vec(),
        frame(0xc1, b"Hello"),
        frame(0xa1, b"Hello"),
        frame(0x91, b"Hello"),
        frame(0xc9, b""),
        frame(0x83, b"x"),
        frame(0x87, b""),
        frame(0x8b, b""),
        frame(0x8f, b"x"),
        frame(0x89, &[b'p'; 126]),
        frame(0x88, &[b'p'; 126]),
        frame(0x8a, &[b'p'; 66_000]),
        frame(0x09, b"x"),
        frame(0x08, b""),
        frame(0x80, b"x"),
        frame(0x00, b"x"),
        [frame(0x01, b"a"), frame(0x81, b"b")].concat(),
        [frame(0x02, b"a"), frame(0x01, b"b")].concat(),
        frame(0x88, b"\x03"),
        not_minimal_16,
        not_minimal_64,
        above_63_bits,
        b"GET /users/777001 HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
        // Wrong in its first two bytes: the rest is not waited for.
        b"\xc1\xff".to_vec(),
        b"\x89\xfe".to_vec(),
        b"\x81\x7f".to_vec(),
    ] {
        expect(&bytes, &[], 1002).await;
    }
    let after_the_end = [frame(0x01, b"a"), frame(0x80, b"b"), frame(0x80, b"c")].concat();
    expect(&after_the_end, &[(1, b"ab")], 1002).await;
}

#[tokio::test]
async fn text_that_is_not_utf8_is_1007_at_its_first_wrong_byte() {
    for payload in [
        &[0x80][..],
        &[0xc0, 0x80],
        &[0xed, 0xa0, 0x80],
        &[0xf4, 0x90, 0x80, 0x80],
        &[0xff],
        &[0xce],
        b"abc\xf0\x9f\x99",
    ] {
        expect(&frame(0x81, payload), &[], 1007).await;
    }
    expect(&[frame(0x01, &[0xce]), frame(0x80, b"K")].concat(), &[], 1007).await;
    // The rest of the message, of the frame, has not come.
    expect(&frame(0x01, &[0xed, 0xa0]), &[], 1007).await;
    let half = frame(0x81, &[0xf4, 0x90, b'x', b'x', b'x']);
    expect(&half[..8], &[], 1007).await;
}

#[tokio::test]
async fn a_close_frame_is_answered_with_its_code() {
    for code in [
        1000_u16, 1001, 1002, 1003, 1007, 1011, 1012, 1014, 3000, 3999, 4000, 4999,
    ] {
        let payload = [&code.to_be_bytes()[..], b"end"].concat();
        expect(&frame(0x88, &payload), &[], code).await;
    }
    expect(&frame(0x88, b""), &[], 1005).await;
    for code in [0_u16, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
        expect(&frame(0x88, &code.to_be_bytes()), &[], 1002).await;
    }
    expect(&frame(0x88, &[0x03, 0xe8, 0xce]), &[], 1007).await;
    // What stands behind it does not count, be it whole or not.
    let ahead = [
        frame(0x81, b"Hello"),
        done(),
        frame(0x81, b"no"),
        frame(0x89, b"no"),
        vec![0xff; 9],
    ]
    .concat();
    expect(&ahead, &[(1, b"Hello")], 1000).await;
}

#[tokio::test]
async fn more_than_the_limit_is_1009_when_it_is_announced() {
    let mut announced = vec![0x82, 0xff, 0, 0, 0, 0, 0x40, 0, 0, 0];
    announced.extend(MASK);
    expect(&announced, &[], 1009).await;

    let limited = || WebSocket::options().max_message(10).max_frame(6);
    for (bytes, messages) in [
        (frame(0x81, b"1234567"), 0),
        ([frame(0x01, b"123456"), frame(0x80, b"12345")].concat(), 0),
        (
            [frame(0x01, b"123456"), frame(0x80, b"1234"), frame(0x82, b"1234567")].concat(),
            1,
        ),
    ] {
        let mut client = open_with(limited(), 1000, b"", echo);
        client.write(&bytes).await;
        for _ in 0..messages {
            assert_eq!(client.receive().await.1, b"1234561234");
        }
        assert_eq!(client.close_code().await, 1009);
        client.end().await;
    }
}
