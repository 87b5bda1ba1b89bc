//! The forms of a request target (RFC 9112 3.2): where path, query and authority are in it.

use std::ops::Range;

use pw_core::problem::kind;

use crate::{Refusal, authority, class};

/// A target, as ranges of the bytes it was read from.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) path: Range<usize>,
    pub(crate) query: Range<usize>,
    /// What the absolute form names, which goes before `Host`.
    pub(crate) authority: Option<Range<usize>>,
}

/// Reads a target, all of whose bytes are allowed in one. `question` is the position of its first `?`.
pub(crate) fn read(
    bytes: &[u8],
    method: &[u8],
    target: Range<usize>,
    question: Option<usize>,
) -> Result<Target, Refusal> {
    if bytes[target.start] != b'/' || method == b"CONNECT" {
        return read_other(bytes, method, target);
    }
    let (path, query) = split(target, question);
    Ok(Target {
        path,
        query,
        authority: None,
    })
}

/// Path and query of a target in origin form.
#[inline(always)]
pub(crate) fn split(target: Range<usize>, question: Option<usize>) -> (Range<usize>, Range<usize>) {
    let path_end = question.unwrap_or(target.end);
    (target.start..path_end, (path_end + 1).min(target.end)..target.end)
}

/// Checks a target that came apart from its authority, as HTTP/2's `:path` does (RFC 9113 8.3.1), by the rules of HTTP/1:
/// a path with a query or none, or `*` for `OPTIONS`. The ranges are those of path and query.
///
/// # Errors
/// What is wrong with it.
pub fn check_path(method: &str, path: &str) -> Result<(Range<usize>, Range<usize>), Refusal> {
    let bytes = path.as_bytes();
    let question = memchr::memchr(b'?', bytes);
    let path_end = class::span(bytes, 0, class::PATH);
    let is_form = bytes.starts_with(b"/") || bytes == b"*";
    let is_text = path_end == question.unwrap_or(bytes.len())
        && question.is_none_or(|at| class::span(bytes, at, class::QUERY) == bytes.len());
    if !is_form || !is_text {
        return Err(Refusal::bad("the :path is not a path and a query"));
    }
    let target = read(bytes, method.as_bytes(), 0..bytes.len(), question)?;
    Ok((target.path, target.query))
}

/// All but the origin form.
#[cold]
fn read_other(bytes: &[u8], method: &[u8], target: Range<usize>) -> Result<Target, Refusal> {
    if method == b"CONNECT" {
        return Err(Refusal::new(&kind::NOT_IMPLEMENTED, "this server is no tunnel"));
    }
    let text = &bytes[target.clone()];
    if text == b"*" {
        if method != b"OPTIONS" {
            return Err(Refusal::bad("the target * is for OPTIONS only"));
        }
        return Ok(Target {
            path: target.clone(),
            query: target.end..target.end,
            authority: None,
        });
    }
    // A scheme has no colon.
    let colon = memchr::memchr(b':', text).filter(|&at| text[at..].starts_with(b"://") && is_scheme(&text[..at]));
    let Some(scheme_end) = colon else {
        return Err(Refusal::bad("the target is neither a path nor an absolute URI"));
    };
    let scheme = &text[..scheme_end];
    if !(scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")) {
        return Err(Refusal::new(
            &kind::MISDIRECTED_REQUEST,
            "the target's scheme is neither http nor https",
        ));
    }
    read_absolute(bytes, target.start + scheme_end + 3, target.end)
}

/// What follows `scheme://`.
fn read_absolute(bytes: &[u8], start: usize, end: usize) -> Result<Target, Refusal> {
    let rest = &bytes[start..end];
    let authority = start..memchr::memchr2(b'/', b'?', rest).map_or(end, |at| start + at);
    let query = memchr::memchr(b'?', rest).map_or(end, |at| start + at);
    if !authority::is_valid(&bytes[authority.clone()]) {
        return Err(Refusal::bad(
            "the target's authority is not a host and an optional port",
        ));
    }
    let path = if authority.end < query {
        authority.end..query
    } else {
        // An empty path means `/`; there is one at hand, in `://`.
        start - 1..start
    };
    Ok(Target {
        path,
        query: (query + 1).min(end)..end,
        authority: Some(authority),
    })
}

/// `ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )`
fn is_scheme(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_alphabetic)
        && text
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(method: &str, target: &str) -> Result<(String, String, Option<String>), u16> {
        let bytes = target.as_bytes();
        let text = |range: Range<usize>| target[range].to_owned();
        read(bytes, method.as_bytes(), 0..bytes.len(), target.find('?'))
            .map(|t| (text(t.path), text(t.query), t.authority.map(text)))
            .map_err(|refusal| refusal.kind.status().as_u16())
    }

    #[test]
    fn each_form_gives_path_query_and_authority() {
        for (target, path, query, authority) in [
            ("/", "/", "", None),
            ("/a/b", "/a/b", "", None),
            ("/a?b=c", "/a", "b=c", None),
            ("/?", "/", "", None),
            ("/a??b?", "/a", "?b?", None),
            ("//evil.test/..", "//evil.test/..", "", None),
            ("http://localhost", "/", "", Some("localhost")),
            ("http://localhost/", "/", "", Some("localhost")),
            ("http://localhost/a?b", "/a", "b", Some("localhost")),
            ("http://localhost?b/c", "/", "b/c", Some("localhost")),
            ("http://localhost?", "/", "", Some("localhost")),
            ("HTTP://LocalHost:80/a", "/a", "", Some("LocalHost:80")),
            ("https://[::1]:8443/a", "/a", "", Some("[::1]:8443")),
            ("http://a/b://c", "/b://c", "", Some("a")),
        ] {
            let want = (path.into(), query.into(), authority.map(str::to_owned));
            assert_eq!(parts("GET", target), Ok(want), "{target}");
        }
        assert_eq!(parts("OPTIONS", "*"), Ok(("*".into(), String::new(), None)));
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for (method, target, status) in [
            ("GET", "*", 400),
            ("OPTIONS", "*foo", 400),
            ("GET", "users/42", 400),
            ("GET", "?x=1", 400),
            ("GET", "!", 400),
            ("GET", "localhost:80", 400),
            ("GET", "urn:a:b", 400),
            ("GET", "1http://localhost/", 400),
            ("GET", "://localhost/", 400),
            ("GET", "http:/localhost/", 400),
            ("GET", "http://", 400),
            ("GET", "http:///a", 400),
            ("GET", "http://?a", 400),
            ("GET", "http://user:pw@localhost/", 400),
            ("GET", "http://@localhost/", 400),
            ("GET", "http://localhost:99999/", 400),
            ("GET", "http://[zz]/", 400),
            ("GET", "ftp://localhost/", 421),
            ("GET", "httpx://localhost/", 421),
            ("CONNECT", "localhost:80", 501),
            ("CONNECT", "/", 501),
            ("CONNECT", "*", 501),
        ] {
            assert_eq!(parts(method, target), Err(status), "{method} {target}");
        }
    }
}
