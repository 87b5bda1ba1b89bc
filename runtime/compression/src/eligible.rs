//! Which answers gain by being compressed, and may be.

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_RANGE, CONTENT_TYPE};
use http::{HeaderName, StatusCode};
use pw_core::Reply;

/// Fields that say of content, or of a representation, what its bytes are.
const DIGESTS: [HeaderName; 4] = [
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-md5"),
];

/// Whether an answer may be compressed, whatever the client accepts.
pub(crate) fn is_eligible(reply: &Reply, min_length: u64, events: bool) -> bool {
    if reply.length().is_some_and(|length| length < min_length) {
        return false;
    }
    let status = reply.status();
    let whole = !status.is_informational()
        && ![
            StatusCode::NO_CONTENT,
            StatusCode::RESET_CONTENT,
            StatusCode::PARTIAL_CONTENT,
            StatusCode::NOT_MODIFIED,
        ]
        .contains(&status);
    whole
        && reply.field(&CONTENT_TYPE).is_some_and(|value| gains(value, events))
        && reply.field(&CONTENT_ENCODING).is_none()
        && reply.field(&CONTENT_RANGE).is_none()
        && DIGESTS.iter().all(|name| reply.field(name).is_none())
        && !values(reply, &CACHE_CONTROL).any(|directive| directive.eq_ignore_ascii_case(b"no-transform"))
}

/// The elements of a field that is a list, of all its lines.
pub(crate) fn values<'r>(reply: &'r Reply, name: &'static HeaderName) -> impl Iterator<Item = &'r [u8]> {
    let lines = reply.fields().filter(move |(field, _)| *field == name.as_str());
    lines
        .flat_map(|(_, value)| value.split(|byte| *byte == b','))
        .map(<[u8]>::trim_ascii)
}

/// Whether content of a media type gets smaller. Server-sent events do, and are asked about apart.
fn gains(media_type: &[u8], events: bool) -> bool {
    let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default();
    let essence = essence.trim_ascii().to_ascii_lowercase();
    let Ok(essence) = std::str::from_utf8(&essence) else {
        return false;
    };
    match essence.split_once('/') {
        Some(("text", "event-stream")) => events,
        Some(("text", _)) => true,
        Some((_, subtype)) if subtype.ends_with("+json") || subtype.ends_with("+xml") => true,
        Some(("application", subtype)) => matches!(
            subtype,
            "json"
                | "x-ndjson"
                | "ndjson"
                | "jsonl"
                | "json-seq"
                | "javascript"
                | "x-javascript"
                | "ecmascript"
                | "xml"
                | "xml-dtd"
                | "wasm"
                | "yaml"
                | "x-yaml"
                | "toml"
                | "sql"
                | "graphql"
                | "rtf"
                | "x-www-form-urlencoded"
                | "vnd.ms-fontobject"
        ),
        Some(("font", subtype)) => matches!(subtype, "ttf" | "otf" | "collection" | "sfnt"),
        Some(("image", subtype)) => matches!(subtype, "bmp" | "x-icon" | "vnd.microsoft.icon"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_gains_and_what_is_compressed_does_not() {
        for good in [
            "text/html; charset=utf-8",
            "TEXT/CSS",
            "application/json",
            "application/problem+json",
            "application/x-ndjson",
            "application/wasm",
            "image/svg+xml",
            "application/xhtml+xml ;charset=utf-8",
            "font/ttf",
        ] {
            assert!(gains(good.as_bytes(), false), "{good}");
        }
        for bad in [
            "",
            "text",
            "image/png",
            "image/jpeg",
            "video/mp4",
            "audio/ogg",
            "application/zip",
            "application/gzip",
            "application/zstd",
            "application/pdf",
            "application/octet-stream",
            "font/woff2",
            "multipart/byteranges; boundary=x",
            "text/event-stream",
        ] {
            assert!(!gains(bad.as_bytes(), false), "{bad}");
        }
        assert!(gains(b"text/event-stream", true));
    }
}
