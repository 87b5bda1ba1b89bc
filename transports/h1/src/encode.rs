//! The head of an answer as it leaves: status line, fields, `connection`, framing, `date`.
//!
//! The order is the same on every transport: the reply's fields as it holds them, then `connection` where it says something,
//! then `content-length` or `transfer-encoding`, then `date`. Reason phrases and the version in the status line are those hyper writes.

use std::io::Write;
use std::time::SystemTime;

use http::{HeaderMap, StatusCode};
use pw_core::{Reply, RequestHead, Version};

/// What an answer's head depends on beside the reply.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// The version of the request. [`Version::Http2`] has no place here and counts as HTTP/1.1.
    pub version: Version,
    /// The request was a `HEAD`.
    pub to_head: bool,
    /// The connection stays open after the answer: the client wants it, the reply allows it, the server has no other plan.
    /// It closes nevertheless if the answer can only be delimited by that.
    pub keep_alive: bool,
    /// What the reply holds.
    pub content: Content,
}

/// How much content there is to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// This many bytes.
    Sized(u64),
    /// A stream whose length is not known.
    Stream,
}

/// How the content is to leave once the head is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Not at all, whatever the reply holds.
    None,
    /// This many bytes, as they are.
    Sized(u64),
    /// In chunks, with [`write_chunk_size`], [`CHUNK_END`] and [`LAST_CHUNK`].
    Chunked,
    /// As it is, and the end of the connection ends it.
    UntilClose,
}

/// What [`write_head`] decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// How the content leaves.
    pub payload: Payload,
    /// Whether the connection stays open after it.
    pub keep_alive: bool,
}

/// What follows the data of a chunk.
pub const CHUNK_END: &[u8] = b"\r\n";

/// What ends a chunked body, without trailers.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// The line that an answer with `upgrade` among its fields has, too (RFC 9110 7.8).
pub const UPGRADED: &[u8] = b"connection: upgrade\r\n";

/// The interim answer to `Expect: 100-continue`.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Appends the head of an answer and tells how its content is to be sent.
///
/// 204 and 304 have neither content nor a length (RFC 9110 15.3.5, 15.4.5): a length on 304 would have to be that of the 200
/// answer, which a reply without content does not know. An answer to `HEAD` says the length that `GET` would have, and sends
/// nothing (RFC 9110 8.6, 9.3.2); where that is 0 it says none, as hyper does not. 205 has no content, which it says (RFC 9110 15.3.6).
/// 101 leaves what follows to the other protocol.
#[inline(always)]
pub fn write_head(out: &mut Vec<u8>, reply: &Reply, answer: &Answer, date: &[u8; 29]) -> Sent {
    let status = reply.status();
    let old = answer.version == Version::Http10;
    let (content, bodiless) = match status {
        StatusCode::OK => (answer.content, false),
        StatusCode::RESET_CONTENT => (Content::Sized(0), false),
        StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED | StatusCode::SWITCHING_PROTOCOLS => (answer.content, true),
        _ => (answer.content, false),
    };
    let payload = match content {
        _ if bodiless || answer.to_head => Payload::None,
        Content::Sized(length) => Payload::Sized(length),
        Content::Stream if old => Payload::UntilClose,
        Content::Stream => Payload::Chunked,
    };
    let keep_alive = answer.keep_alive && !reply.closes_connection() && payload != Payload::UntilClose;

    write_status_line(out, answer.version, status);
    out.extend_from_slice(reply.field_lines());
    if reply.offers_upgrade() {
        out.extend_from_slice(UPGRADED);
    }
    match (keep_alive, old) {
        (false, _) if status == StatusCode::SWITCHING_PROTOCOLS => {}
        (false, false) => out.extend_from_slice(b"connection: close\r\n"),
        (true, true) => out.extend_from_slice(b"connection: keep-alive\r\n"),
        _ => {}
    }
    match content {
        _ if bodiless => {}
        Content::Sized(0) if answer.to_head => {}
        Content::Sized(length) => write_length(out, length),
        Content::Stream if payload == Payload::Chunked => out.extend_from_slice(b"transfer-encoding: chunked\r\n"),
        Content::Stream => {}
    }
    // One piece, whose length the compiler knows.
    let mut end = *b"date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n";
    end[6..35].copy_from_slice(date);
    out.extend_from_slice(&end);
    Sent { payload, keep_alive }
}

/// Appends the line that begins a chunk of `size` bytes, which must not be 0: that would end the body.
pub fn write_chunk_size(out: &mut Vec<u8>, size: usize) {
    debug_assert!(size > 0, "an empty chunk ends the body");
    write!(out, "{size:X}\r\n").expect("writing to a vector does not fail");
}

/// Whether a client takes trailers: it says so in a line of `te` (RFC 9110 10.1.4).
pub fn takes_trailers(head: &impl RequestHead) -> bool {
    let mut elements = head.values("te").flat_map(|line| line.split(|byte| *byte == b','));
    elements.any(|each| each.trim_ascii().eq_ignore_ascii_case(b"trailers"))
}

/// Appends what ends a chunked body, with trailers if there are some. Those that [may not be one](pw_core::may_trail) are
/// left out.
pub fn write_last_chunk(out: &mut Vec<u8>, trailers: Option<&HeaderMap>) {
    out.extend_from_slice(b"0\r\n");
    for (name, value) in trailers.into_iter().flatten() {
        if pw_core::may_trail(name.as_str().as_bytes()) {
            out.extend_from_slice(name.as_str().as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(value.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// A point in time as `date` and `last-modified` have it (RFC 9110 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`. A transport keeps
/// the result for as long as the second lasts.
///
/// # Panics
/// The time is before 1970 or after 9999.
pub fn http_date(time: SystemTime) -> [u8; 29] {
    let mut date = [0; 29];
    write!(&mut date[..], "{}", httpdate::HttpDate::from(time)).expect("a date has 29 characters");
    date
}

fn write_status_line(out: &mut Vec<u8>, version: Version, status: StatusCode) {
    if status == StatusCode::OK && version != Version::Http10 {
        out.extend_from_slice(b"HTTP/1.1 200 OK\r\n");
        return;
    }
    out.extend_from_slice(match version {
        Version::Http10 => b"HTTP/1.0 ",
        _ => b"HTTP/1.1 ",
    });
    out.extend_from_slice(status.as_str().as_bytes());
    out.push(b' ');
    out.extend_from_slice(status.canonical_reason().unwrap_or("<none>").as_bytes());
    out.extend_from_slice(b"\r\n");
}

fn write_length(out: &mut Vec<u8>, length: u64) {
    // Most are short: one piece, whose length the compiler knows.
    match length {
        0..=9 => write_digits(out, *b"content-length: 0\r\n", length),
        10..=99 => write_digits(out, *b"content-length: 00\r\n", length),
        100..=999 => write_digits(out, *b"content-length: 000\r\n", length),
        1_000..=9_999 => write_digits(out, *b"content-length: 0000\r\n", length),
        _ => write!(out, "content-length: {length}\r\n").expect("writing to a vector does not fail"),
    }
}

/// Appends a line, its zeros replaced by the digits of a number that has as many.
#[inline(always)]
fn write_digits<const LINE: usize>(out: &mut Vec<u8>, mut line: [u8; LINE], mut number: u64) {
    for at in (b"content-length: ".len()..LINE - 2).rev() {
        line[at] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&line);
}

#[cfg(test)]
mod tests {
    use pw_core::HeadBuffer;

    use super::*;

    #[test]
    fn te_may_come_in_several_lines() {
        let mut head = HeadBuffer::default();
        head.push_field("TE", b"gzip, trailer");
        assert!(!takes_trailers(&head));
        head.push_field("te", b"deflate;q=0.5 , Trailers");
        assert!(takes_trailers(&head));
    }
}
