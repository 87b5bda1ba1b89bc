//! Running the parser and the decoder over bytes that come in pieces.
#![allow(dead_code, reason = "each test binary uses its own part of this")]

pub(crate) mod heads;

use pw_core::{HeadBuffer, Limits, RequestHead};
use pw_h1::{BodyDecoder, Framing, HeadParser, Refusal, Verdict};

/// A request head as a handler sees it.
pub(crate) struct Head(pub(crate) HeadBuffer);

impl RequestHead for Head {
    fn buffer(&self) -> &HeadBuffer {
        &self.0
    }
}

/// What became of a head: the verdict and the head, a refusal, or nothing because bytes are missing.
pub(crate) type Outcome = Result<Option<(Verdict, String)>, Refusal>;

/// Parses a head from an input that grows at the given lengths, the whole of it last.
pub(crate) fn parse_in_steps(input: &[u8], steps: impl IntoIterator<Item = usize>, limits: &Limits) -> Outcome {
    let (mut parser, mut head) = (HeadParser::default(), HeadBuffer::default());
    for length in steps.into_iter().chain([input.len()]) {
        if let Some(verdict) = parser.parse(&input[..length], limits, &mut head)? {
            return Ok(Some((verdict, describe(&Head(head)))));
        }
    }
    Ok(None)
}

/// Parses a head that is there at once.
pub(crate) fn parse(input: &[u8]) -> Outcome {
    parse_in_steps(input, [], &Limits::default())
}

/// A head on one line: method, path, query, host, fields.
pub(crate) fn describe(head: &Head) -> String {
    let mut text = format!("{} {} ?{} @{}", head.method(), head.path(), head.query(), head.host());
    for (name, value) in head.fields() {
        text += &format!(" [{}:{}]", name.escape_ascii(), value.escape_ascii());
    }
    text
}

/// What became of a body: its data and the bytes after it, a refusal, or nothing because bytes are missing.
pub(crate) type Decoded = Result<Option<(Vec<u8>, Vec<u8>)>, Refusal>;

/// Decodes a body that comes in pieces of the given lengths, and what is left in one piece.
pub(crate) fn decode_in_pieces(
    framing: Framing,
    mut input: &[u8],
    pieces: impl IntoIterator<Item = usize>,
    limits: &Limits,
) -> Decoded {
    let (mut decoder, mut body, mut pieces) = (BodyDecoder::new(framing), Vec::new(), pieces.into_iter());
    while !decoder.is_end() {
        let length = pieces.next().unwrap_or(input.len()).min(input.len());
        let last = length == input.len();
        let mut piece = &input[..length];
        loop {
            let step = decoder.decode(piece, limits)?;
            assert_eq!(step.end, decoder.is_end());
            assert!(step.data.end <= step.consumed && step.consumed <= piece.len());
            body.extend_from_slice(&piece[step.data.clone()]);
            piece = &piece[step.consumed..];
            input = &input[step.consumed..];
            if step.end || piece.is_empty() || step.consumed == 0 {
                break;
            }
        }
        if last && input.is_empty() && !decoder.is_end() {
            return Ok(None);
        }
    }
    Ok(Some((body, input.to_vec())))
}
