//! Bodies: what is taken, what is refused and how, and that neither depends on how the bytes come.

mod common;

use common::{Decoded, decode_in_pieces};
use pw_core::Limits;
use pw_h1::{BodyDecoder, Framing};

fn decode(text: &str) -> Decoded {
    decode_in_pieces(Framing::Chunked, text.as_bytes(), [], &Limits::default())
}

/// Chunked bodies and the data in them; `GET` follows each.
const TAKEN: &[(&str, &str)] = &[
    ("0\r\n\r\n", ""),
    ("5\r\nhello\r\n0\r\n\r\n", "hello"),
    ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
    ("A\r\n0123456789\r\n00\r\n\r\n", "0123456789"),
    ("000a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    ("0000000000000001\r\na\r\n0000000000000000\r\n\r\n", "a"),
    ("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
    ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"),
    ("5;a\r\nhello\r\n0\r\n\r\n", "hello"),
    ("5;a=b\r\nhello\r\n0;x=y\r\n\r\n", "hello"),
    ("5;a=b;c;d=e\r\nhello\r\n0\r\n\r\n", "hello"),
    ("5 ; a = b\t;\tc\r\nhello\r\n0\r\n\r\n", "hello"),
    ("5;a=\"b; c\"\r\nhello\r\n0\r\n\r\n", "hello"),
    ("5;a=\"b\\\"c\\\\\";d\r\nhello\r\n0\r\n\r\n", "hello"),
    ("5;a=\"\" ;b\r\nhello\r\n0\r\n\r\n", "hello"),
    ("5\r\nhello\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\n", "hello"),
    (
        "0\r\nContent-Length: 99\r\nTransfer-Encoding: gzip\r\nHost: x\r\n\r\n",
        "",
    ),
    ("0\r\nX:GET / HTTP/1.1\r\n\r\n", ""),
];

/// Chunked bodies that are refused, each at its last byte.
const REFUSED: &[&str] = &[
    "\r",
    "\n",
    " ",
    "+",
    "-",
    "g",
    "x",
    "\"",
    "\0",
    "\x0b",
    ";",
    ",",
    "\u{7f}",
    "0x",
    "5g",
    "0_",
    "5,",
    "5.",
    "5h",
    "5\0",
    "5\n",
    "5\rX",
    "5\r\r",
    "5 \r",
    "5 a",
    "5 5",
    "5\t=",
    "00000000000000000",
    "10000000000000000",
    "FFFFFFFFFFFFFFFFF",
    "5;\r",
    "5;;",
    "5;=",
    "5;[",
    "5;a\0",
    "5;a\n",
    "5;a\r\r",
    "5;a=\r",
    "5;a=;",
    "5;a==",
    "5;a=b=",
    "5;a=b \r",
    "5;a \r",
    "5;a b",
    "5;a=b c",
    "5;a=b\"",
    "5;a=\"b\r",
    "5;a=\"b\n",
    "5;a=\"\0",
    "5;a=\"\\\r",
    "5;a=\"b\"c",
    "5;a=\"b\"=",
    "5;a=\"b\" \r",
    "5\r\nhello0",
    "5\r\nhello\n",
    "5\r\nhello\rX",
    "5\r\nhelloX",
    "5\r\nhello ",
    "6\r\nhello\r\n",
    "5\r\nhello\r\n-",
    "5\r\nhello\r\n+",
    "5\r\nhello\r\n\r",
    "0\r\n ",
    "0\r\n\t",
    "0\r\n:",
    "0\r\n\n",
    "0\r\nabc\r",
    "0\r\nX-A ",
    "0\r\nX: b\r\n ",
    "0\r\nX: b\rc",
    "0\r\nX: b\n",
    "0\r\nX: \0",
    "0\r\nX(",
    "0\r\n\r\r",
    "0\r\n\rX",
];

#[test]
fn chunks_give_their_data_and_leave_what_follows() {
    for (text, want) in TAKEN {
        let (body, rest) = decode(&format!("{text}GET")).unwrap().unwrap();
        assert_eq!((&*body, &*rest), (want.as_bytes(), &b"GET"[..]), "{text:?}");
    }
}

#[test]
fn what_breaks_the_grammar_is_refused_at_once() {
    for text in REFUSED {
        let refusal = decode(text).expect_err(text);
        assert_eq!(refusal.kind.status(), 400, "{text:?}");
        assert_eq!(
            decode(&text[..text.len() - 1]),
            Ok(None),
            "{text:?} without its last byte"
        );
    }
}

#[test]
fn no_outcome_depends_on_how_the_bytes_come() {
    let limits = Limits::default();
    for text in TAKEN.iter().map(|(text, _)| text).chain(REFUSED) {
        let input = format!("{text}GET");
        let input = input.as_bytes();
        let want = decode_in_pieces(Framing::Chunked, input, [], &limits);
        let by_bytes = decode_in_pieces(Framing::Chunked, input, std::iter::repeat(1), &limits);
        match (&want, &by_bytes) {
            (Ok(Some((a, _))), Ok(Some((b, _)))) => assert_eq!(a, b, "{text:?}"),
            _ => assert_eq!(want, by_bytes, "{text:?}"),
        }
        for at in 0..input.len() {
            assert_eq!(
                decode_in_pieces(Framing::Chunked, input, [at], &limits),
                want,
                "{text:?} at {at}"
            );
        }
    }
}

#[test]
fn a_length_is_counted_down() {
    let limits = Limits::default();
    assert!(BodyDecoder::new(Framing::None).is_end());
    assert!(BodyDecoder::new(Framing::Length(0)).is_end());
    let mut decoder = BodyDecoder::new(Framing::Length(7));
    assert_eq!(decoder.remaining_declared(), 7);
    let step = decoder.decode(b"hel", &limits).unwrap();
    assert_eq!((step.consumed, step.data, step.end), (3, 0..3, false));
    assert_eq!(decoder.remaining_declared(), 4);
    let step = decoder.decode(b"", &limits).unwrap();
    assert_eq!((step.consumed, step.end), (0, false));
    let step = decoder.decode(b"lo \0GET", &limits).unwrap();
    assert_eq!((step.consumed, step.data, step.end), (4, 0..4, true));
    assert!(decoder.is_end());
    let step = decoder.decode(b"GET", &limits).unwrap();
    assert_eq!((step.consumed, step.data, step.end), (0, 0..0, true));
}

#[test]
fn a_chunk_size_is_declared_before_its_data() {
    let (limits, mut decoder) = (Limits::default(), BodyDecoder::new(Framing::Chunked));
    assert_eq!(decoder.remaining_declared(), 0);
    decoder.decode(b"FFFFFFFFFFFFFFFF", &limits).unwrap();
    assert_eq!(decoder.remaining_declared(), 0);
    decoder.decode(b"\r\n", &limits).unwrap();
    assert_eq!(decoder.remaining_declared(), u64::MAX);
}

#[test]
fn framing_may_not_outweigh_the_body() {
    let limits = Limits {
        chunk_overhead: 100,
        ..Limits::default()
    };
    let status = |text: String| match decode_in_pieces(Framing::Chunked, text.as_bytes(), [], &limits) {
        Ok(Some(_)) => 200,
        Ok(None) => 0,
        Err(refusal) => refusal.kind.status().as_u16(),
    };
    assert_eq!(status(format!("1;{}\r\na\r\n0\r\n\r\n", "a".repeat(50))), 200);
    assert_eq!(status(format!("1;{}", "a".repeat(1000))), 400);
    assert_eq!(status(format!("1{}", " ".repeat(1000))), 400);
    assert_eq!(status("1\r\na\r\n".repeat(20)), 0);
    assert_eq!(status("1\r\na\r\n".repeat(30)), 400);
    // However long the body is, chunks of a sane size pass.
    assert_eq!(
        status(format!("{}0\r\n\r\n", "a\r\n0123456789\r\n".repeat(10_000))),
        200
    );
}

#[test]
fn trailers_are_bounded() {
    let limits = Limits {
        trailers: 100,
        trailer_fields: 5,
        ..Limits::default()
    };
    for (text, want) in [
        (format!("0\r\n{}\r\n", "X: y\r\n".repeat(5)), 200),
        (format!("0\r\n{}\r\n", "X: y\r\n".repeat(6)), 431),
        (format!("0\r\nX: {}\r\n\r\n", "y".repeat(93)), 200),
        (format!("0\r\nX: {}\r\n\r\n", "y".repeat(94)), 431),
        (format!("0\r\n{}", "y".repeat(1000)), 431),
        (format!("0\r\nX: {}", "y".repeat(1000)), 431),
    ] {
        for pieces in [1000, 1, 7] {
            let outcome = decode_in_pieces(Framing::Chunked, text.as_bytes(), std::iter::repeat(pieces), &limits);
            let status = outcome.map_or_else(|refusal| refusal.kind.status().as_u16(), |body| body.map_or(0, |_| 200));
            assert_eq!(status, want, "{text:?} in pieces of {pieces}");
        }
    }
}
