//! The forms in which a stream of values can leave, and which of them a client gets.

use http::header::ACCEPT;
use pw_core::problem::Kind;
use pw_core::{Problem, RequestHead};

use crate::accept::Accept;

/// The problem of a client that accepts none of the forms there are: 406.
pub static NOT_ACCEPTABLE: Kind = Kind::new(406, "urn:polywire:problem:not-acceptable", "Not acceptable");

/// A form in which a stream of values leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `text/event-stream`: server-sent events, each with a value as its data.
    Events,
    /// `application/x-ndjson`: a line of JSON for each value.
    Lines,
    /// `application/json`: an array of the values, and closed only when they end.
    Array,
}

impl Format {
    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream",
            Self::Lines => "application/x-ndjson",
            Self::Array => "application/json",
        }
    }

    /// What the client likes best among those that are offered; of equals, and without an `Accept`, the one that is offered first.
    pub(crate) fn negotiate(head: &impl RequestHead, offers: &[Self]) -> Result<Self, Problem> {
        let first = offers[0];
        let accept = Accept::parse(head.values(ACCEPT.as_str()));
        if accept.is_empty() {
            return Ok(first);
        }
        let mut best = (0, None);
        for &offer in offers {
            let weight = accept.weight(offer.media_type());
            if weight > best.0 {
                best = (weight, Some(offer));
            }
        }
        best.1.ok_or_else(|| {
            let there: Vec<_> = offers.iter().map(|offer| offer.media_type()).collect();
            Problem::of(&NOT_ACCEPTABLE).detail(format!("this resource comes as {}", there.join(", ")))
        })
    }
}

#[cfg(test)]
mod tests {
    use pw_core::HeadBuffer;

    use super::*;

    const OFFERS: [Format; 3] = [Format::Lines, Format::Events, Format::Array];

    fn negotiate(lines: &[&str]) -> Result<Format, Problem> {
        let mut head = HeadBuffer::default();
        for line in lines {
            head.push_field("Accept", line.as_bytes());
        }
        Format::negotiate(&head, &OFFERS)
    }

    #[test]
    fn the_client_chooses_and_of_equals_the_server() {
        for (accept, format) in [
            ("*/*", Format::Lines),
            ("application/*", Format::Lines),
            ("text/*", Format::Events),
            ("application/json", Format::Array),
            ("application/json, application/x-ndjson", Format::Lines),
            ("application/json, application/x-ndjson;q=0.9", Format::Array),
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                Format::Lines,
            ),
            ("text/event-stream", Format::Events),
            ("application/x-ndjson;q=0, */*;q=0.1", Format::Events),
            ("nonsense", Format::Lines),
            ("", Format::Lines),
        ] {
            assert_eq!(negotiate(&[accept]).unwrap(), format, "{accept}");
        }
        assert_eq!(negotiate(&[]).unwrap(), Format::Lines);
        assert_eq!(
            negotiate(&["image/png", "text/event-stream;q=0.1"]).unwrap(),
            Format::Events
        );
    }

    #[test]
    fn a_client_that_wants_none_is_told_what_there_is() {
        for accept in ["text/html", "*/*;q=0", "application/json;q=0", "application/json;v=2"] {
            let problem = negotiate(&[accept]).unwrap_err();
            assert_eq!(problem.status(), 406, "{accept}");
        }
    }
}
