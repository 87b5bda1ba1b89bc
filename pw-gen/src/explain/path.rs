//! The path of a request, and which patterns it fits.

use pw_syntax::Segment;

use crate::route_set::{Route, RouteSet};

/// A raw path, cut into segments.
#[derive(Debug)]
pub(crate) struct RequestPath {
    /// As it was given, without its query.
    pub(crate) text: String,
    /// What stands between its slashes; one empty segment for `/`.
    pub(crate) segments: Vec<String>,
}

/// How a segment of a path meets one of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It does not.
    No,
    /// It does.
    Segment,
    /// It does, and so does all that follows.
    Rest,
}

impl RequestPath {
    pub(crate) fn new(path: &str) -> Self {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        Self {
            text: path.to_owned(),
            segments: path
                .strip_prefix('/')
                .unwrap_or(path)
                .split('/')
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Whether a pattern has this path.
    pub(crate) fn fits(&self, pattern: &[Segment]) -> bool {
        for (at, segment) in pattern.iter().enumerate() {
            match self.fit(at, segment) {
                Fit::No => return false,
                Fit::Rest => return true,
                Fit::Segment => {}
            }
        }
        pattern.len() == self.segments.len()
    }

    /// How the segment number `at` meets one of a pattern.
    pub(crate) fn fit(&self, at: usize, segment: &Segment) -> Fit {
        let Some(raw) = self.segments.get(at) else {
            return Fit::No;
        };
        match segment {
            Segment::Literal(literal) if normal(raw) == *literal => Fit::Segment,
            Segment::Param(_) if !raw.is_empty() => Fit::Segment,
            Segment::Rest(_) if !self.rest(at).is_empty() => Fit::Rest,
            _ => Fit::No,
        }
    }

    /// All from the segment number `at`.
    pub(crate) fn rest(&self, at: usize) -> &str {
        let before: usize = self.segments[..at].iter().map(|segment| segment.len() + 1).sum();
        let start = self.text.len() - self.text.strip_prefix('/').unwrap_or(&self.text).len();
        &self.text[(start + before).min(self.text.len())..]
    }

    /// The parameters of a pattern that this path fits, raw.
    pub(crate) fn parameters<'p>(&'p self, pattern: &'p [Segment]) -> Vec<(&'p str, &'p str)> {
        let named = pattern.iter().enumerate().filter_map(|(at, segment)| match segment {
            Segment::Literal(_) => None,
            Segment::Param(name) => Some((name.as_str(), self.segments[at].as_str())),
            Segment::Rest(name) => Some((name.as_str(), self.rest(at))),
        });
        named.collect()
    }

    /// The routes that go along with the path for as long as `pattern` has no parameter, and then part from it at a
    /// literal. With the number of the segment where they part.
    pub(crate) fn siblings<'s>(&self, set: &'s RouteSet, pattern: &[Segment]) -> Vec<(&'s Route, usize)> {
        let Some(at) = pattern
            .iter()
            .position(|segment| !matches!(segment, Segment::Literal(_)))
        else {
            return Vec::new();
        };
        let parts = |route: &&Route| {
            let same = route.segments.get(..at) == pattern.get(..at);
            let literal = matches!(route.segments.get(at), Some(Segment::Literal(_)));
            same && literal && self.segments.len() > at && !self.fits(&route.segments)
        };
        let mut siblings: Vec<&Route> = set.routes.iter().filter(parts).collect();
        siblings.sort_by_key(|route| route.order());
        siblings.into_iter().map(|route| (route, at)).collect()
    }
}

/// A raw segment in the form that literals have: unreserved characters as they are, other escapes in capitals
/// (RFC 3986 6.2.2).
pub(crate) fn normal(raw: &str) -> String {
    let bytes = raw.as_bytes();
    let mut text = String::new();
    let mut at = 0;
    while at < bytes.len() {
        match escape(&bytes[at..]) {
            Some(byte) => {
                match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    true => text.push(char::from(byte)),
                    false => text.push_str(&format!("%{byte:02X}")),
                }
                at += 3;
            }
            None => {
                let rest = &raw[at..];
                let c = rest.chars().next().expect("there is a byte");
                text.push(c);
                at += c.len_utf8();
            }
        }
    }
    text
}

/// A parameter's value.
///
/// # Errors
/// Why it has none; reads after the raw text.
pub(crate) fn decode(raw: &str) -> Result<String, &'static str> {
    let bytes = raw.as_bytes();
    let mut value = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'%' {
            value.push(bytes[at]);
            at += 1;
            continue;
        }
        value.push(escape(&bytes[at..]).ok_or("has a `%` that two hexadecimal digits do not follow")?);
        at += 3;
    }
    String::from_utf8(value).map_err(|_| "is not UTF-8 once decoded")
}

/// The byte of the escape that `bytes` begins with.
fn escape(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    (bytes.first() == Some(&b'%')).then_some(())?;
    u8::try_from(digit(1)? * 16 + digit(2)?).ok()
}
