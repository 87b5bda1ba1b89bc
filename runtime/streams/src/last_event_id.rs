//! Where a client of server-sent events was when it lost its connection.

use std::str::FromStr;

use pw_core::{FromHead, Problem, RequestHead};

/// The `id` of the last event that a client got before it lost its connection, which it sends when it comes again.
///
/// ```
/// use pw_core::Respond;
/// use pw_streams::{Event, Events, LastEventId};
/// # use futures_core::Stream;
/// # fn events_after(_: u64) -> impl Stream<Item = Event> + use<> { Nothing }
/// # struct Nothing;
/// # impl Stream for Nothing {
/// #     type Item = Event;
/// #     fn poll_next(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<Option<Event>> {
/// #         std::task::Poll::Ready(None)
/// #     }
/// # }
/// async fn events(last: LastEventId<'_>) -> impl Respond {
///     Events::new(events_after(last.parse().unwrap_or(0)))
/// }
/// ```
///
/// Wrong: trusting it. It is what a client sends, and need not be an id that you gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastEventId<'a>(pub Option<&'a str>);

impl LastEventId<'_> {
    /// The id as what ids are made of, if there is one and it is such.
    pub fn parse<T: FromStr>(self) -> Option<T> {
        self.0?.parse().ok()
    }
}

/// An empty id is none (HTML 9.2.3). One that is not UTF-8 is 400: no event had it.
impl<'a> FromHead<'a> for LastEventId<'a> {
    fn from_head(head: &'a impl RequestHead) -> Result<Self, Problem> {
        let id = head.field("last-event-id").filter(|id| !id.is_empty());
        let id = id.map(std::str::from_utf8).transpose();
        id.map(Self)
            .map_err(|_| Problem::bad_request("the last-event-id is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use pw_core::HeadBuffer;

    use super::*;

    #[test]
    fn ids() {
        let of = |value: Option<&[u8]>| {
            let mut head = HeadBuffer::default();
            if let Some(value) = value {
                head.push_field("Last-Event-ID", value);
            }
            LastEventId::from_head(&head).map(|id| (id.0.map(str::to_owned), id.parse::<u64>()))
        };
        assert_eq!(of(None).unwrap(), (None, None));
        assert_eq!(of(Some(b"")).unwrap(), (None, None));
        assert_eq!(of(Some(b"7")).unwrap(), (Some("7".to_owned()), Some(7)));
        assert_eq!(of(Some("é 7".as_bytes())).unwrap(), (Some("é 7".to_owned()), None));
        assert_eq!(of(Some(b"\xff")).unwrap_err().status(), 400);
    }
}
