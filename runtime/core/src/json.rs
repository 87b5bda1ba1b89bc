//! JSON, in and out.

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use crate::{FromBody, Problem, Reply, RequestHead, Respond, problem};

/// As the last argument: the request's body, `application/json` or a type that ends in `+json`. As an answer:
/// `application/json`.
///
/// Text may be borrowed from the body: `struct Order<'a> { note: Cow<'a, str> }` with `#[serde(borrow)]`. Not as `&'a str`:
/// text with an escape in it, which clients send as they like, can't be borrowed, and would be refused. A body that is not JSON
/// is 400, one that is JSON of another shape 422, another media type 415, an answer that can't be serialised 500.
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

impl<'a, T: Deserialize<'a>> FromBody<'a> for Json<T> {
    fn check(head: &impl RequestHead) -> Result<(), Problem> {
        if head.field("content-type").is_some_and(is_json) {
            return Ok(());
        }
        Err(Problem::of(&problem::kind::UNSUPPORTED_MEDIA_TYPE).detail("the content-type must be application/json"))
    }

    fn from_body(body: &'a [u8]) -> Result<Self, Problem> {
        serde_json::from_slice(body).map(Json).map_err(|error| {
            let kind = match error.classify() {
                Category::Data => &problem::kind::UNPROCESSABLE_CONTENT,
                Category::Syntax | Category::Eof | Category::Io => &problem::kind::INVALID_BODY,
            };
            Problem::of(kind).detail(error.to_string())
        })
    }
}

impl<T: Serialize> Respond for Json<T> {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_type("content-type: application/json\r\n");
        serde_json::to_writer(reply.buffer(), &self.0)?;
        Ok(())
    }
}

fn is_json(value: &[u8]) -> bool {
    let essence = value.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
    let Some(subtype) = essence
        .get(..12)
        .filter(|t| t.eq_ignore_ascii_case(b"application/"))
        .map(|_| &essence[12..])
    else {
        return false;
    };
    subtype.eq_ignore_ascii_case(b"json")
        || subtype.len() > 5 && subtype[subtype.len() - 5..].eq_ignore_ascii_case(b"+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_media_types() {
        for good in [
            "application/json",
            "Application/JSON; charset=utf-8",
            "application/problem+json",
        ] {
            assert!(is_json(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            "text/json",
            "application/jsonx",
            "application/+json",
            "application/x-www-form-urlencoded",
        ] {
            assert!(!is_json(bad.as_bytes()), "{bad}");
        }
    }
}
