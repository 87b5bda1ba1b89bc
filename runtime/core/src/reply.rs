//! The answer under construction: status, fields and content, in buffers that a transport may keep for the next one.

use bytes::Bytes;
use http::{HeaderName, StatusCode};

use crate::FieldValue;

/// An answer that a handler or a middleware is making. A fresh one is 200 without content.
///
/// `date`, `content-length`, `transfer-encoding` and `connection` are the transport's: setting them here is a bug
/// that debug builds panic on and others leave out.
#[derive(Debug, Default)]
pub struct Reply {
    status: StatusCode,
    entries: Vec<Entry>,
    values: Vec<u8>,
    buffer: Vec<u8>,
    shared: Option<Bytes>,
    request_id: Vec<u8>,
    close: bool,
}

#[derive(Debug)]
struct Entry {
    name: HeaderName,
    value: Value,
}

/// Where a field's value is.
#[derive(Clone, Copy, Debug)]
enum Value {
    Static(&'static str),
    /// In `values`.
    Copied(u32, u32),
    /// The request's id.
    RequestId,
}

/// A field of a reply, for transports: its value is valid, and perhaps static.
#[derive(Clone, Copy, Debug)]
pub enum ReplyField<'r> {
    /// The value outlives everything.
    Static(&'static str),
    /// The value is in the reply.
    Borrowed(&'r [u8]),
}

impl<'r> ReplyField<'r> {
    /// The value.
    pub fn as_bytes(self) -> &'r [u8] {
        match self {
            Self::Static(text) => text.as_bytes(),
            Self::Borrowed(bytes) => bytes,
        }
    }
}

impl Reply {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Sets the status. Interim statuses (1xx) are the transport's own: one of them becomes 500.
    ///
    /// # Panics
    /// In debug builds, on an interim status.
    pub fn set_status(&mut self, status: StatusCode) {
        debug_assert!(!status.is_informational(), "an interim response can't be a reply");
        self.status = match status.is_informational() {
            true => StatusCode::INTERNAL_SERVER_ERROR,
            false => status,
        };
    }

    /// Sets a field, in place of all of that name.
    ///
    /// # Panics
    /// In debug builds, on a field that is the transport's.
    pub fn insert<'v>(&mut self, name: HeaderName, value: impl Into<FieldValue<'v>>) {
        self.remove(&name);
        let entry = self.entry(name, value.into());
        self.entries.push(entry);
    }

    /// Adds a field beside others of its name. Fields of one name leave together, where the first of them stands.
    ///
    /// # Panics
    /// In debug builds, on a field that is the transport's.
    pub fn append<'v>(&mut self, name: HeaderName, value: impl Into<FieldValue<'v>>) {
        let entry = self.entry(name, value.into());
        let last = self.entries.iter().rposition(|e| e.name == entry.name);
        match last {
            Some(at) if at + 1 < self.entries.len() => self.entries.insert(at + 1, entry),
            _ => self.entries.push(entry),
        }
    }

    /// Takes all fields of a name away.
    #[inline]
    pub fn remove(&mut self, name: &HeaderName) {
        // Most replies have none or one when something is set, and nothing to take away.
        if let Some(first) = self.entries.iter().position(|entry| entry.name == *name) {
            self.remove_from(first, name);
        }
    }

    #[cold]
    fn remove_from(&mut self, first: usize, name: &HeaderName) {
        self.entries.remove(first);
        self.entries.retain(|entry| entry.name != *name);
    }

    /// The first value of a field.
    pub fn field(&self, name: &HeaderName) -> Option<&[u8]> {
        self.fields().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// All fields in the order they leave in.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&HeaderName, &[u8])> {
        self.raw_fields().map(|(name, value)| (name, value.as_bytes()))
    }

    /// As [`fields`](Self::fields), telling static values from others.
    #[doc(hidden)]
    pub fn raw_fields(&self) -> impl ExactSizeIterator<Item = (&HeaderName, ReplyField<'_>)> {
        self.entries.iter().map(|entry| {
            let value = match entry.value {
                Value::Static(text) => ReplyField::Static(text),
                Value::Copied(start, end) => ReplyField::Borrowed(&self.values[start as usize..end as usize]),
                Value::RequestId => ReplyField::Borrowed(&self.request_id),
            };
            (&entry.name, value)
        })
    }

    fn entry(&mut self, name: HeaderName, value: FieldValue<'_>) -> Entry {
        debug_assert!(!is_framing(&name), "`{name}` is set by the transport");
        let value = match value.as_static() {
            Some(text) => Value::Static(text),
            None => {
                let start = self.values.len() as u32;
                value.with_bytes(|bytes| self.values.extend_from_slice(bytes));
                Value::Copied(start, self.values.len() as u32)
            }
        };
        Entry { name, value }
    }

    /// The buffer for content that is made piece by piece. Content set by [`Reply::set_content`] before is dropped.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.shared = None;
        &mut self.buffer
    }

    /// Takes content that is there already, by reference: neither `Bytes` nor `&'static [u8]` is copied.
    pub fn set_content(&mut self, content: impl Into<Bytes>) {
        self.buffer.clear();
        self.shared = Some(content.into());
    }

    /// The content as it stands.
    pub fn content(&self) -> &[u8] {
        self.shared.as_deref().unwrap_or(&self.buffer)
    }

    /// Takes the content away, for transports, if it is held by reference or was made in the buffer and is longer than `above`.
    /// Otherwise it stays, as [`content`](Self::content). There is none on 204, 205 and 304, whatever a handler wrote (RFC 9110
    /// 15.3.5, 15.3.6, 15.4.5).
    pub fn take_content(&mut self, above: usize) -> Option<Bytes> {
        let bodiless = [
            StatusCode::NO_CONTENT,
            StatusCode::RESET_CONTENT,
            StatusCode::NOT_MODIFIED,
        ];
        if bodiless.contains(&self.status) {
            self.buffer().clear();
        }
        let made = || (self.buffer.len() > above).then(|| std::mem::take(&mut self.buffer).into());
        self.shared.take().or_else(made)
    }

    /// The connection is to be closed after this answer.
    pub fn close_connection(&mut self) {
        self.close = true;
    }

    /// Whether the connection is to be closed after this answer.
    pub fn closes_connection(&self) -> bool {
        self.close
    }

    /// The request's id, once a middleware has given it one. [`Reply::clear`] keeps it.
    pub fn request_id(&self) -> Option<&str> {
        std::str::from_utf8(&self.request_id).ok().filter(|id| !id.is_empty())
    }

    /// Gives the request its id, which the caller has checked: printable ASCII only.
    pub(crate) fn set_request_id(&mut self, id: &[u8]) {
        self.request_id.clear();
        self.request_id.extend_from_slice(id);
    }

    /// Sets `x-request-id` to the id, if there is one.
    pub(crate) fn carry_request_id(&mut self) {
        if self.request_id.is_empty() {
            return;
        }
        self.remove(&crate::X_REQUEST_ID);
        self.entries.push(Entry {
            name: crate::X_REQUEST_ID,
            value: Value::RequestId,
        });
    }

    /// Drops status, fields and content; keeps the request id, the wish to close and the buffers.
    pub fn clear(&mut self) {
        self.status = StatusCode::OK;
        self.entries.clear();
        self.values.clear();
        self.buffer.clear();
        self.shared = None;
    }

    /// Makes the reply as new for the next exchange, keeping its buffers unless one has grown past `keep` bytes.
    pub fn recycle(&mut self, keep: usize) {
        self.clear();
        self.request_id.clear();
        self.close = false;
        if self.buffer.capacity() > keep {
            self.buffer = Vec::new();
        }
        if self.values.capacity() > keep {
            self.values = Vec::new();
        }
    }
}

/// Whether a field is the transport's own.
pub(crate) fn is_framing(name: &HeaderName) -> bool {
    use http::header::{CONNECTION, CONTENT_LENGTH, DATE, TRANSFER_ENCODING};
    [CONNECTION, CONTENT_LENGTH, DATE, TRANSFER_ENCODING].contains(name)
}

#[cfg(test)]
mod tests {
    use http::header::{ETAG, LOCATION, SET_COOKIE};

    use super::*;

    fn fields(reply: &Reply) -> Vec<(&str, &str)> {
        let text = |value| std::str::from_utf8(value).expect("these are ASCII");
        reply
            .fields()
            .map(|(name, value)| (name.as_str(), text(value)))
            .collect()
    }

    #[test]
    fn fields_of_one_name_leave_together() {
        let mut reply = Reply::default();
        reply.append(SET_COOKIE, FieldValue::from_static("a"));
        reply.append(ETAG, FieldValue::from(7));
        reply.append(SET_COOKIE, FieldValue::new("b").unwrap());
        assert_eq!(
            fields(&reply),
            [("set-cookie", "a"), ("set-cookie", "b"), ("etag", "7")]
        );
        reply.insert(SET_COOKIE, FieldValue::from_static("c"));
        assert_eq!(fields(&reply), [("etag", "7"), ("set-cookie", "c")]);
        reply.remove(&ETAG);
        reply.remove(&LOCATION);
        assert_eq!(fields(&reply), [("set-cookie", "c")]);
    }

    #[test]
    fn the_content_is_what_was_set_last() {
        let mut reply = Reply::default();
        reply.buffer().extend_from_slice(b"made");
        reply.set_content("shared");
        assert_eq!(reply.content(), b"shared");
        reply.buffer().extend_from_slice(b"made");
        assert_eq!(reply.content(), b"made");
    }

    #[test]
    fn short_content_stays_where_it_was_made() {
        let mut reply = Reply::default();
        reply.buffer().extend_from_slice(b"made");
        assert_eq!(reply.take_content(4), None);
        assert_eq!(reply.content(), b"made");
        assert_eq!(reply.take_content(3).as_deref(), Some(&b"made"[..]));
        reply.set_content("shared");
        assert_eq!(reply.take_content(100).as_deref(), Some(&b"shared"[..]));
        assert_eq!(reply.content(), b"");
    }

    #[test]
    fn some_statuses_have_no_content() {
        for status in [204, 205, 304] {
            for set in [
                |reply: &mut Reply| reply.buffer().push(1),
                |reply: &mut Reply| reply.set_content("shared"),
            ] {
                let mut reply = Reply::default();
                reply.set_status(StatusCode::from_u16(status).unwrap());
                set(&mut reply);
                assert_eq!((reply.take_content(0), reply.content()), (None, &b""[..]), "{status}");
            }
        }
    }

    #[test]
    fn a_cleared_reply_knows_whose_it_is_and_a_recycled_one_nothing() {
        let mut reply = Reply::default();
        reply.set_request_id(b"mine");
        reply.close_connection();
        reply.set_status(StatusCode::CREATED);
        reply.append(ETAG, FieldValue::new("x").unwrap());
        reply.buffer().extend_from_slice(&[0; 100]);
        reply.clear();
        assert_eq!((reply.status(), reply.content()), (StatusCode::OK, &b""[..]));
        assert_eq!((fields(&reply), reply.request_id()), (Vec::new(), Some("mine")));
        assert!(reply.closes_connection() && reply.buffer().capacity() >= 100);
        reply.recycle(reply.buffer.capacity());
        assert_eq!(reply.request_id(), None);
        assert!(!reply.closes_connection() && reply.buffer().capacity() >= 100);
        reply.recycle(10);
        assert_eq!(reply.buffer().capacity(), 0, "it has grown too large to be kept");
    }
}
