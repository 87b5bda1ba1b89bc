//! Preconditions, in the order of RFC 9110 13.2.2: a pure function of a request's fields and a representation's validators.

use std::time::SystemTime;

use pw_core::RequestHead;

use crate::tag::{self, Compare};

/// What tells a representation from those before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validators<'a> {
    /// Strong, with its quotes.
    pub(crate) tag: &'a [u8],
    /// In whole seconds.
    pub(crate) modified: Option<SystemTime>,
}

/// What the preconditions of a GET or HEAD come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They hold, or there are none.
    Proceed,
    /// 304: the client has it.
    NotModified,
    /// 412: it is not what the client takes it for.
    Failed,
}

/// Evaluates all but `If-Range`, for a representation that is there.
pub(crate) fn verdict(head: &impl RequestHead, validators: Validators<'_>) -> Verdict {
    let has = |name, compare| {
        let mut lines = head.values(name).peekable();
        lines.peek()?;
        Some(lines.any(|line| tag::list_has(line, validators.tag, compare)))
    };
    // Of several members it is no date, and as if it were not there (RFC 9110 13.1.3, 13.1.4).
    let date = |name| {
        let mut lines = head.values(name);
        let (line, None) = (lines.next()?, lines.next()) else {
            return None;
        };
        parse(line).zip(validators.modified)
    };
    match has("if-match", Compare::Strong) {
        Some(false) => return Verdict::Failed,
        Some(true) => {}
        None => {
            if date("if-unmodified-since").is_some_and(|(since, modified)| modified > since) {
                return Verdict::Failed;
            }
        }
    }
    let unmodified = match has("if-none-match", Compare::Weak) {
        Some(has) => has,
        None => date("if-modified-since").is_some_and(|(since, modified)| modified <= since),
    };
    match unmodified {
        true => Verdict::NotModified,
        false => Verdict::Proceed,
    }
}

/// Whether a `Range` field counts, given `If-Range` beside it (RFC 9110 13.1.5).
///
/// A date counts if it is the representation's own, to the second: a client must not send one that it can't be sure of (it needs a
/// `Date` that was later).
pub(crate) fn range_counts(if_range: Option<&[u8]>, validators: Validators<'_>) -> bool {
    match if_range {
        None => true,
        Some(field) if field.contains(&b'"') => tag::is_tag(field, validators.tag),
        Some(field) => validators.modified.is_some() && parse(field) == validators.modified,
    }
}

/// Any of the three forms of a date (RFC 9110 5.6.7). What is none is as if it were not there.
fn parse(field: &[u8]) -> Option<SystemTime> {
    httpdate::parse_http_date(std::str::from_utf8(field).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use pw_core::HeadBuffer;

    use super::*;

    fn head(fields: &[(&str, &str)]) -> HeadBuffer {
        let mut head = HeadBuffer::default();
        for (name, value) in fields {
            head.push_field(name, value.as_bytes());
        }
        head
    }

    const SAME: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const AFTER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";
    const MATCH: &str = "if-match";
    const NONE_MATCH: &str = "if-none-match";
    const UNMODIFIED: &str = "if-unmodified-since";
    const MODIFIED: &str = "if-modified-since";

    fn validators() -> Validators<'static> {
        Validators {
            tag: b"\"t\"",
            modified: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777)),
        }
    }

    #[test]
    fn each_by_itself_and_in_order() {
        use Verdict::{Failed, NotModified, Proceed};
        let table: &[(&[(&str, &str)], Verdict)] = &[
            (&[], Proceed),
            (&[(MATCH, "\"t\"")], Proceed),
            (&[(MATCH, "*")], Proceed),
            (&[(MATCH, "\"x\", \"t\"")], Proceed),
            (&[(MATCH, "\"x\""), (MATCH, "\"t\"")], Proceed),
            (&[(MATCH, "\"x\"")], Failed),
            (&[(MATCH, "W/\"t\"")], Failed),
            (&[(MATCH, "")], Failed),
            (&[(MATCH, "t")], Failed),
            (&[(UNMODIFIED, SAME)], Proceed),
            (&[(UNMODIFIED, AFTER)], Proceed),
            (&[(UNMODIFIED, BEFORE)], Failed),
            (&[(UNMODIFIED, "yesterday")], Proceed),
            (&[(NONE_MATCH, "\"t\"")], NotModified),
            (&[(NONE_MATCH, "W/\"t\"")], NotModified),
            (&[(NONE_MATCH, "*")], NotModified),
            (&[(NONE_MATCH, "\"x\""), (NONE_MATCH, "\"t\"")], NotModified),
            (&[(NONE_MATCH, "\"x\"")], Proceed),
            (&[(NONE_MATCH, "t")], Proceed),
            (&[(NONE_MATCH, "")], Proceed),
            (&[(MODIFIED, SAME)], NotModified),
            (&[(MODIFIED, AFTER)], NotModified),
            (&[(MODIFIED, BEFORE)], Proceed),
            (&[(MODIFIED, "")], Proceed),
            (&[(MODIFIED, SAME), (MODIFIED, AFTER)], Proceed),
            (&[(UNMODIFIED, BEFORE), (UNMODIFIED, BEFORE)], Proceed),
            (&[(MODIFIED, "1700000000")], Proceed),
            // The older of two is not looked at where the newer is.
            (&[(MATCH, "\"t\""), (UNMODIFIED, BEFORE)], Proceed),
            (&[(MATCH, "\"x\""), (UNMODIFIED, AFTER)], Failed),
            (&[(NONE_MATCH, "\"x\""), (MODIFIED, AFTER)], Proceed),
            (&[(NONE_MATCH, "\"t\""), (MODIFIED, BEFORE)], NotModified),
            // 412 comes before 304.
            (&[(MATCH, "\"x\""), (NONE_MATCH, "\"t\"")], Failed),
            (&[(UNMODIFIED, BEFORE), (NONE_MATCH, "\"t\"")], Failed),
            (&[(UNMODIFIED, BEFORE), (MODIFIED, SAME)], Failed),
            (&[(MATCH, "\"t\""), (NONE_MATCH, "\"t\"")], NotModified),
            (&[(UNMODIFIED, SAME), (MODIFIED, SAME)], NotModified),
        ];
        for (fields, expected) in table {
            assert_eq!(verdict(&head(fields), validators()), *expected, "{fields:?}");
        }
    }

    #[test]
    fn dates_come_in_three_forms() {
        for date in [SAME, "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(verdict(&head(&[(MODIFIED, date)]), validators()), Verdict::NotModified);
            assert!(range_counts(Some(date.as_bytes()), validators()), "{date}");
        }
    }

    #[test]
    fn without_a_date_of_its_own_dates_say_nothing() {
        let undated = Validators {
            modified: None,
            ..validators()
        };
        for field in [MODIFIED, UNMODIFIED] {
            for date in [BEFORE, AFTER] {
                assert_eq!(verdict(&head(&[(field, date)]), undated), Verdict::Proceed);
            }
        }
        assert!(!range_counts(Some(SAME.as_bytes()), undated));
        assert!(!range_counts(Some(b"junk"), undated));
    }

    #[test]
    fn a_range_counts_if_the_client_has_the_rest_of_the_same() {
        for field in [None, Some("\"t\""), Some(SAME)] {
            assert!(range_counts(field.map(str::as_bytes), validators()), "{field:?}");
        }
        for field in ["\"x\"", "W/\"t\"", "*", "junk", "", BEFORE, AFTER, "\"t\", \"t\""] {
            assert!(!range_counts(Some(field.as_bytes()), validators()), "{field}");
        }
    }
}
