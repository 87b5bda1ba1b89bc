//! One server-sent event, as the HTML standard writes it (9.2.5, 9.2.6).

use std::fmt::Display;
use std::io::Write;
use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;

/// An event that is being made: its lines, in the order in which they are added.
///
/// ```
/// use pw_streams::Event;
/// # fn main() -> Result<(), serde_json::Error> {
/// let event = Event::new().id(7).name("tick").json(&[1, 2])?;
/// assert_eq!(event.render().as_ref(), b"id: 7\nevent: tick\ndata: [1,2]\n\n");
/// let event = Event::new().data("two\r\nlines");
/// assert_eq!(event.render().as_ref(), b"data: two\ndata: lines\n\n");
/// # Ok(())
/// # }
/// ```
///
/// Wrong: an event with a name and no [`data`](Self::data). Clients take note of its id and its `retry`, and show it to nobody; give it
/// empty data.
#[derive(Clone, Debug, Default)]
pub struct Event {
    lines: Vec<u8>,
}

impl Event {
    /// Without lines.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds data. Each line of it becomes one of the event's, whether it ends in CR, LF or both; the client joins them with LF. Data
    /// that is added again goes on in a new line.
    pub fn data(mut self, text: impl AsRef<str>) -> Self {
        push_lines(&mut self.lines, "data", text.as_ref());
        self
    }

    /// Adds a value as JSON.
    ///
    /// # Errors
    /// The value can't be serialised.
    pub fn json<T: Serialize + ?Sized>(mut self, value: &T) -> Result<Self, serde_json::Error> {
        push_json(&mut self.lines, value)?;
        Ok(self)
    }

    /// Sets what the client sends as `Last-Event-ID` when it comes again. An empty id makes it forget the one it has.
    ///
    /// # Panics
    /// In debug builds, on an id with CR, LF or NUL in it. In others the event then has no id.
    pub fn id(self, id: impl Display) -> Self {
        self.field("id", id)
    }

    /// Sets the name of the listeners that get it. Without one it is `message`.
    ///
    /// # Panics
    /// In debug builds, on a name with CR, LF or NUL in it. In others the event then has no name.
    pub fn name(self, name: impl Display) -> Self {
        self.field("event", name)
    }

    /// Tells the client how long to wait before it connects again, from now on. In whole milliseconds.
    pub fn retry(mut self, time: Duration) -> Self {
        push_retry(&mut self.lines, time);
        self
    }

    /// Adds what no client shows to anybody.
    pub fn comment(mut self, text: impl AsRef<str>) -> Self {
        push_lines(&mut self.lines, "", text.as_ref());
        self
    }

    /// The event as it leaves: once for any number of clients.
    pub fn render(mut self) -> Rendered {
        self.lines.push(b'\n');
        Rendered(self.lines.into())
    }

    fn field(mut self, name: &str, value: impl Display) -> Self {
        let start = self.lines.len();
        let written = write!(self.lines, "{name}: {value}");
        let breaks = |byte: &u8| matches!(byte, b'\r' | b'\n' | b'\0');
        if written.is_err() || self.lines[start..].iter().any(breaks) {
            self.lines.truncate(start);
            debug_assert!(false, "the `{name}` of an event must not hold CR, LF or NUL");
            return self;
        }
        self.lines.push(b'\n');
        self
    }
}

/// An event as it leaves. Cloning it copies nothing: what one [`Broadcast`](crate::Broadcast) sends to ten thousand clients is rendered
/// once, and is in memory once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered(Bytes);

impl Rendered {
    pub(crate) fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl From<Event> for Rendered {
    fn from(event: Event) -> Self {
        event.render()
    }
}

impl AsRef<[u8]> for Rendered {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Appends a text as lines of a field; a comment is a field without a name.
fn push_lines(out: &mut Vec<u8>, name: &str, text: &str) {
    let mut rest = text.as_bytes();
    loop {
        let end = memchr::memchr2(b'\r', b'\n', rest);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
        out.push(b'\n');
        let Some(end) = end else { return };
        let after = match rest[end..] {
            [b'\r', b'\n', ..] => end + 2,
            _ => end + 1,
        };
        rest = &rest[after..];
    }
}

/// Appends a value as data. If it can't be serialised, nothing is appended.
pub(crate) fn push_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) -> Result<(), serde_json::Error> {
    let start = out.len();
    out.extend_from_slice(b"data: ");
    let text = out.len();
    if let Err(error) = serde_json::to_writer(&mut *out, value) {
        out.truncate(start);
        return Err(error);
    }
    // Only JSON that was text before, a `RawValue`, has lines.
    if memchr::memchr2(b'\r', b'\n', &out[text..]).is_some() {
        let lines = String::from_utf8(out.split_off(text)).expect("serde_json writes UTF-8");
        out.truncate(start);
        push_lines(out, "data", &lines);
        return Ok(());
    }
    out.push(b'\n');
    Ok(())
}

/// Appends how long a client is to wait.
pub(crate) fn push_retry(out: &mut Vec<u8>, time: Duration) {
    writeln!(out, "retry: {}", time.as_millis()).expect("a vector takes all");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    fn text(event: Event) -> String {
        String::from_utf8(event.render().as_ref().to_vec()).unwrap()
    }

    /// What a client makes of a stream with one event in it: id, name and data (HTML 9.2.6).
    fn parse(stream: &str) -> (Option<String>, Option<String>, Option<String>) {
        let (mut id, mut name, mut data) = (None, None, None::<String>);
        let stream = stream.replace("\r\n", "\n").replace('\r', "\n");
        let (block, rest) = stream.split_once("\n\n").expect("an event ends in an empty line");
        assert_eq!(rest, "", "it is one event");
        for line in block.split('\n') {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "id" => id = Some(value.to_owned()),
                "event" => name = Some(value.to_owned()),
                "data" => match &mut data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    None => data = Some(value.to_owned()),
                },
                _ => {}
            }
        }
        (id, name, data)
    }

    #[test]
    fn lines() {
        for (event, lines) in [
            (Event::new(), "\n"),
            (Event::new().data(""), "data: \n\n"),
            (Event::new().data("a"), "data: a\n\n"),
            (Event::new().data(" a"), "data:  a\n\n"),
            (Event::new().data("a\nb"), "data: a\ndata: b\n\n"),
            (Event::new().data("a\r\rb\r\n"), "data: a\ndata: \ndata: b\ndata: \n\n"),
            (Event::new().data("a\n\rb"), "data: a\ndata: \ndata: b\n\n"),
            (
                Event::new().comment("a\nb").data("c").data("d"),
                ": a\n: b\ndata: c\ndata: d\n\n",
            ),
            (Event::new().id("").name("x y"), "id: \nevent: x y\n\n"),
            (Event::new().retry(Duration::from_micros(1_500_900)), "retry: 1500\n\n"),
        ] {
            assert_eq!(text(event), lines);
        }
    }

    #[test]
    fn json_with_lines_is_data_with_lines() {
        let raw = RawValue::from_string("{\"a\":\n1,\r\n\"b\": 2}".to_owned()).unwrap();
        let event = Event::new().name("x").json(&raw).unwrap();
        assert_eq!(text(event), "event: x\ndata: {\"a\":\ndata: 1,\ndata: \"b\": 2}\n\n");
    }

    #[test]
    fn what_can_t_be_serialised_leaves_nothing() {
        let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
        let mut out = b"before".to_vec();
        assert!(push_json(&mut out, &keys).is_err());
        assert_eq!(out, b"before");
    }

    #[test]
    fn an_id_or_a_name_that_would_break_the_event_is_a_bug() {
        for bad in ["a\nb", "a\rb", "a\0b", "\n", "a\r\n\r\ndata: b"] {
            for set in [Event::id, Event::name] as [fn(Event, String) -> Event; 2] {
                let set = || text(set(Event::new().data("c"), bad.to_owned()));
                let left = (!cfg!(debug_assertions)).then(|| "data: c\n\n".to_owned());
                assert_eq!(std::panic::catch_unwind(set).ok(), left, "{bad:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_client_gets_what_was_sent(
            id in "[^\r\n\0]*", name in "[^\r\n\0]*", data in "[a \r\n:\u{feff}é\0]*", comment in "[a\r\n: ]*",
        ) {
            let event = Event::new().comment(&comment).id(&id).data(&data).name(&name);
            let data = data.replace("\r\n", "\n").replace('\r', "\n");
            prop_assert_eq!(parse(&text(event)), (Some(id), Some(name), Some(data)));
        }
    }
}
