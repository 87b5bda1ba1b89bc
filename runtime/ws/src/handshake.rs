//! The opening handshake (RFC 6455 4.2, RFC 8441 5): the verdict on a request's head, and the fields of the answer.
//!
//! It knows heads and replies, and nothing of what is spoken afterwards.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::{HeaderValue, header};
use pw_core::problem::Kind;
use pw_core::{FieldValue, Problem, Reply, RequestHead, Version};
use sha1::{Digest, Sha1};

use crate::Options;
use crate::origin::Origin;

/// 426: the request asks for no WebSocket, or for one of another version.
pub static UPGRADE_REQUIRED: Kind = Kind::new(426, "urn:polywire:problem:websocket-required", "WebSocket required");
/// 403: the page that opens the WebSocket is of an origin that may not.
pub static FOREIGN_ORIGIN: Kind = Kind::new(403, "urn:polywire:problem:foreign-origin", "Foreign origin");

/// Of RFC 6455 1.3.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Padding is asked for; what is in the bits behind the sixteenth byte is not looked at: some clients put random text there.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// What a request says of the WebSocket it wants.
#[derive(Default)]
struct Offer<'h> {
    upgrade: bool,
    connection: bool,
    version: Once<'h>,
    key: Once<'h>,
    origin: Once<'h>,
    protocols: Vec<&'h [u8]>,
}

/// A field that may be there once.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Once<'h> {
    #[default]
    Absent,
    Value(&'h [u8]),
    Repeated,
}

impl<'h> Once<'h> {
    fn add(&mut self, value: &'h [u8]) {
        *self = match self {
            Self::Absent => Self::Value(value),
            _ => Self::Repeated,
        };
    }
}

impl<'h> Offer<'h> {
    fn of(head: &'h impl RequestHead) -> Self {
        let mut offer = Self::default();
        for (name, value) in head.fields() {
            match name {
                // A protocol may name a version behind a slash; WebSocket's stands in a field of its own.
                b"upgrade" => offer.upgrade |= elements(value).any(|one| one.eq_ignore_ascii_case(b"websocket")),
                b"connection" => offer.connection |= elements(value).any(|one| one.eq_ignore_ascii_case(b"upgrade")),
                b"sec-websocket-version" => offer.version.add(value),
                b"sec-websocket-key" => offer.key.add(value),
                b"sec-websocket-protocol" => offer.protocols.extend(elements(value)),
                b"origin" => offer.origin.add(value),
                _ => {}
            }
        }
        offer
    }
}

/// The elements of a list (RFC 9110 5.6.1).
fn elements(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .filter(|one| !one.is_empty())
}

/// Judges a request, writes the fields of the answer, and returns the sub-protocol that was chosen.
///
/// # Errors
/// 426, 400 or 403, with what the client needs to do better; the reply is as it was.
pub(crate) fn answer(
    head: &impl RequestHead,
    reply: &mut Reply,
    options: &Options,
) -> Result<Option<Box<str>>, Problem> {
    let offer = Offer::of(head);
    let http2 = head.version() == Version::Http2;
    if head.version() == Version::Http10 || !offer.upgrade || !(offer.connection || http2) {
        return Err(required(
            http2,
            "this is a WebSocket: the request must ask for `upgrade: websocket`",
        ));
    }
    if head.method() != "GET" {
        return Err(Problem::bad_request("a WebSocket is opened with GET"));
    }
    if offer.version != Once::Value(b"13") {
        return Err(required(http2, "the version of WebSocket spoken here is 13"));
    }
    // HTTP/2 has no answer to the key: that it is the request's is certain there.
    let accept = match offer.key {
        _ if http2 => None,
        Once::Value(key) if is_key(key) => Some(accept(key)),
        Once::Absent => return Err(Problem::bad_request("`sec-websocket-key` is missing")),
        Once::Repeated => return Err(Problem::bad_request("`sec-websocket-key` is there more than once")),
        Once::Value(_) => return Err(Problem::bad_request("`sec-websocket-key` must be 16 bytes in base64")),
    };
    let origin_allowed = match offer.origin {
        // No browser.
        Once::Absent => true,
        Once::Value(origin) => options.any_origin || allowed(origin, head.host(), options),
        Once::Repeated => options.any_origin,
    };
    if !origin_allowed {
        return Err(Problem::of(&FOREIGN_ORIGIN).detail("pages of this origin may not open this WebSocket"));
    }
    let protocol = options
        .protocols
        .iter()
        .find(|ours| offer.protocols.contains(&ours.as_bytes()));

    if let Some(protocol) = protocol {
        reply.insert(header::SEC_WEBSOCKET_PROTOCOL, FieldValue::new(protocol)?);
    }
    if let Some(accept) = accept {
        reply.insert(header::UPGRADE, FieldValue::from_static("websocket"));
        reply.insert(header::SEC_WEBSOCKET_ACCEPT, FieldValue::new(&accept)?);
    }
    Ok(protocol.map(|protocol| protocol.as_str().into()))
}

/// 426 tells what to upgrade to (RFC 9110 15.5.22); in HTTP/2 there is no upgrade, and the field may not be there.
fn required(http2: bool, detail: &'static str) -> Problem {
    let problem = if http2 {
        Problem::bad_request(detail)
    } else {
        Problem::of(&UPGRADE_REQUIRED)
            .detail(detail)
            .field(header::UPGRADE, HeaderValue::from_static("websocket"))
    };
    problem.field(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"))
}

fn is_key(key: &[u8]) -> bool {
    // 24 characters hold up to 18 bytes.
    let mut bytes = [0; 18];
    key.len() == 24 && BASE64.decode_slice(key, &mut bytes).is_ok_and(|count| count == 16)
}

fn accept(key: &[u8]) -> String {
    let digest = Sha1::new().chain_update(key).chain_update(GUID).finalize();
    BASE64.encode(digest)
}

fn allowed(origin: &[u8], host: &str, options: &Options) -> bool {
    let Some(origin) = Origin::parse(origin) else {
        return false;
    };
    origin.is_of(host)
        || options
            .origins
            .iter()
            .any(|one| Origin::parse(one.as_bytes()).as_ref() == Some(&origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_rfc() {
        assert_eq!(accept(b"dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn a_key_is_sixteen_bytes() {
        for key in [
            "dGhlIHNhbXBsZSBub25jZQ==",
            "AAAAAAAAAAAAAAAAAAAAAA==",
            "dGhlIHNhbXBsZSBub25jZR==",
        ] {
            assert!(is_key(key.as_bytes()), "{key}");
        }
        for key in [
            "",
            "YWJj",
            "dGhlIHNhbXBsZSBub25jZQ",
            "dGhlIHNhbXBsZSBub25jZQ=",
            "dGhlIHNhbXBsZSBub25jZQ=A",
            "dGhlIHNhbXBsZSBub25jZSE=",
            "dGhlIHNhbXBsZSBub25jZSEh",
            "!!!!!!!!!!!!!!!!!!!!!!==",
            "dGhl HNhbXBsZSBub25jZQ==",
            "YWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJjYWJj",
        ] {
            assert!(!is_key(key.as_bytes()), "{key}");
        }
    }

    #[test]
    fn lists_have_elements() {
        let found: Vec<_> = elements(b" foo/1 ,, websocket,").collect();
        assert_eq!(found, [&b"foo/1"[..], b"websocket"]);
    }
}
