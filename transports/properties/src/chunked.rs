//! Chunked bodies: one outcome however the bytes come, the same as a plain reading of all of them at once, and no more framing than the
//! limits allow.

use pw_conformance::draw::Draw;
use pw_core::{Limits, Trailers, may_trail};
use pw_h1::{BodyDecoder, Framing, Refusal, encode};

/// Pieces that chunked bodies consist of, and some that they don't.
const PIECES: [&[u8]; 32] = [
    b"0",
    b"1",
    b"3",
    b"a",
    b"0A",
    b"G",
    b"\r\n",
    b"\r\n",
    b"\r",
    b"\n",
    b";",
    b"a=b",
    b"=",
    b"\"",
    b"\\",
    b" ",
    b"\t",
    b"x",
    b"abc",
    b"X: y\r\n",
    b"X-Y:\r\n",
    b"a:  b \t\r\n",
    b"Host: a\r\n",
    b"0\r\n\r\n",
    b"3\r\nabc\r\n",
    b"1;a=\"b\"\r\nx\r\n",
    b"2 ; a = \"\\\"\"\r\nxy\r\n",
    b"\0",
    b"\x7f",
    b"\xe9",
    b"00000000000000001",
    b"ffffffffffffffff",
];

/// The most bytes that are tried: below every limit but that of trailers.
const MOST: usize = 2 << 10;

/// A body, what follows it, and the fields between.
type Parts = (Vec<u8>, Vec<u8>, Vec<Field>);
type Field = (Vec<u8>, Vec<u8>);

/// Checks the property of a body that is drawn: of known pieces, any bytes, or made by our own encoder.
///
/// # Panics
/// It does not hold.
pub fn check(draw: &mut Draw<'_>) {
    let input = match draw.below(4) {
        0 => draw.rest(MOST),
        1 => (0..draw.below(40)).flat_map(|_| draw.pick(&PIECES).to_vec()).collect(),
        2 => extended(draw),
        _ => encoded(draw),
    };
    let shown = || input.escape_ascii().to_string();
    let whole = decode(&input, &[], &Limits::default());
    for limits in [Limits::default(), small()] {
        let outcome = decode(&input, &[], &limits);
        let cuts = draw.cuts(input.len(), 8);
        assert_eq!(decode(&input, &cuts, &limits), outcome, "cut at {cuts:?}: {}", shown());
        let all: Vec<usize> = (0..input.len()).collect();
        assert_eq!(decode(&input, &all, &limits), outcome, "byte by byte: {}", shown());
        match &outcome {
            // A limit makes a refusal of what was good, or was not whole, and never another body.
            Err(_) => {}
            outcome => assert_eq!(outcome, &whole, "under a limit: {}", shown()),
        }
        if let Ok(Some((body, rest, _))) = &outcome {
            let framing = input.len() - rest.len() - body.len();
            let most = body.len() + limits.chunk_overhead + limits.trailers;
            assert!(framing <= most, "{framing} bytes of framing: {}", shown());
        }
    }
    match (reference(&input), whole) {
        (Ok(Some(wanted)), got) => assert_eq!(got, Ok(Some(wanted)), "{}", shown()),
        // Of a line that is not whole the decoder may know already that it is wrong.
        (Ok(None), got) => assert!(!matches!(got, Ok(Some(_))), "not whole: {}", shown()),
        (Err(()), got) => assert!(got.is_err(), "{got:?} though it is wrong: {}", shown()),
    }
}

/// Limits that are met.
fn small() -> Limits {
    Limits {
        chunk_overhead: 60,
        trailers: 40,
        trailer_fields: 3,
        ..Limits::default()
    }
}

/// A body whose extensions are nearly some.
fn extended(draw: &mut Draw<'_>) -> Vec<u8> {
    const SYMBOLS: &[u8] = b";;a =\t\"\\b\0\xe9";
    let mut out = Vec::new();
    for size in [&b"1"[..], b"0"] {
        out.extend_from_slice(size);
        for _ in 0..draw.below(8) {
            out.push(*draw.pick(SYMBOLS));
        }
        out.extend_from_slice(b"\r\n");
        if size == b"1" {
            out.extend_from_slice(b"x\r\n");
        }
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// What our own encoder makes of some data, which must come back.
fn encoded(draw: &mut Draw<'_>) -> Vec<u8> {
    let (mut out, mut data) = (Vec::new(), Vec::new());
    for _ in 0..draw.below(6) {
        let length = draw.between(1, 40);
        let chunk = draw.bytes(length);
        encode::write_chunk_size(&mut out, chunk.len());
        out.extend_from_slice(&chunk);
        out.extend_from_slice(encode::CHUNK_END);
        data.extend(chunk);
    }
    out.extend_from_slice(encode::LAST_CHUNK);
    assert_eq!(
        decode(&out, &[], &Limits::default()),
        Ok(Some((data, Vec::new(), Vec::new())))
    );
    out
}

/// Decodes a body that comes in pieces, cut there.
fn decode(input: &[u8], cuts: &[usize], limits: &Limits) -> Result<Option<Parts>, Refusal> {
    let mut decoder = BodyDecoder::new(Framing::Chunked);
    let (mut body, mut at, mut trailers) = (Vec::new(), 0, Trailers::new());
    for end in cuts.iter().copied().chain([input.len()]) {
        loop {
            let piece = &input[at..end];
            assert!(trailers.is_empty(), "they show at the end");
            let step = decoder.decode_with(piece, limits, &mut trailers)?;
            assert_eq!(step.end, decoder.is_end());
            assert!(step.data.start <= step.data.end && step.data.end <= step.consumed && step.consumed <= piece.len());
            body.extend_from_slice(&piece[step.data.clone()]);
            at += step.consumed;
            if step.end {
                let trailers = trailers.fields();
                let trailers = trailers.map(|(name, value)| (name.to_vec(), value.to_vec()));
                return Ok(Some((body, input[at..].to_vec(), trailers.collect())));
            }
            if step.consumed == 0 {
                assert_eq!(at, end, "it asks for more and leaves some");
                break;
            }
        }
    }
    Ok(None)
}

/// The coding as RFC 9112 7.1 has it, read the plain way: all at once, a line at a time. `None`: not whole. `Err`: wrong.
fn reference(mut input: &[u8]) -> Result<Option<Parts>, ()> {
    let mut body = Vec::new();
    loop {
        let Some(line) = line(&mut input)? else { return Ok(None) };
        let size = size(line).ok_or(())?;
        if size == 0 {
            break;
        }
        let Some(data) = usize::try_from(size).ok().and_then(|size| input.split_off(..size)) else {
            return Ok(None);
        };
        body.extend_from_slice(data);
        match input {
            [b'\r', b'\n', rest @ ..] => input = rest,
            [] | [b'\r'] => return Ok(None),
            _ => return Err(()),
        }
    }
    let (mut count, mut trailers): (usize, Vec<Field>) = (0, Vec::new());
    loop {
        let Some(line) = line(&mut input)? else { return Ok(None) };
        if line.is_empty() {
            return Ok(Some((body, input.to_vec(), trailers)));
        }
        count += 1;
        let colon = line.iter().position(|byte| *byte == b':').ok_or(())?;
        let (name, value) = line.split_at(colon);
        if !is_token(name) || !value.iter().all(is_text) || count > Limits::default().trailer_fields {
            return Err(());
        }
        let (name, value) = (name.to_ascii_lowercase(), value[1..].trim_ascii().to_vec());
        if may_trail(&name) {
            let same = trailers.iter().rposition(|(other, _)| *other == name);
            trailers.insert(same.map_or(trailers.len(), |last| last + 1), (name, value));
        }
    }
}

/// A line up to CR LF.
fn line<'a>(input: &mut &'a [u8]) -> Result<Option<&'a [u8]>, ()> {
    match input.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        None => Ok(None),
        Some(at) if input[at..].starts_with(b"\r\n") => {
            let line = &input[..at];
            *input = &input[at + 2..];
            Ok(Some(line))
        }
        Some(at) if &input[at..] == b"\r" => Ok(None),
        Some(_) => Err(()),
    }
}

/// `1*HEXDIG *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] )`, of at most 16 digits: the number.
fn size(line: &[u8]) -> Option<u64> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let (number, mut rest) = line.split_at(digits);
    if digits > 16 {
        return None;
    }
    let number = u64::from_str_radix(std::str::from_utf8(number).ok()?, 16).ok()?;
    while !rest.is_empty() {
        rest = spaces(rest).strip_prefix(b";")?;
        rest = spaces(rest);
        rest = token(rest)?;
        if let Some(value) = spaces(rest).strip_prefix(b"=") {
            let value = spaces(value);
            rest = match value.strip_prefix(b"\"") {
                Some(quoted) => quoted_end(quoted)?,
                None => token(value)?,
            };
        }
    }
    Some(number)
}

fn spaces(text: &[u8]) -> &[u8] {
    let count = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[count..]
}

/// What follows a token.
fn token(text: &[u8]) -> Option<&[u8]> {
    let count = text.iter().take_while(|byte| is_token(&[**byte])).count();
    (count > 0).then(|| &text[count..])
}

/// What follows the quotation mark that ends a quoted string.
fn quoted_end(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        text = match text {
            [b'"', rest @ ..] => return Some(rest),
            [b'\\', escaped, rest @ ..] if is_text(escaped) => rest,
            [b'\\', ..] => return None,
            [byte, rest @ ..] if is_text(byte) => rest,
            _ => return None,
        }
    }
}

fn is_token(text: &[u8]) -> bool {
    !text.is_empty()
        && text
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
}

fn is_text(byte: &u8) -> bool {
    matches!(byte, b'\t' | b' '..=b'~' | 0x80..)
}
