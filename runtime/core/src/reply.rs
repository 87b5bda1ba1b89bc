//! The answer under construction: status, fields and content, in buffers that a transport may keep for the next one.

use std::ops::Range;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, UPGRADE};
use http::{HeaderName, StatusCode};

use crate::upgrade::UpgradeTask;
use crate::wipe::wipe;
use crate::{Content, ContentStream, FieldValue, FilePart, X_REQUEST_ID};

/// An answer that a handler or a middleware is making. A fresh one is 200 without content.
///
/// `date`, `content-length`, `transfer-encoding` and `connection` are the transport's: setting them here is a bug
/// that debug builds panic on and others leave out.
#[derive(Debug, Default)]
pub struct Reply {
    status: StatusCode,
    /// The fields as they leave, `name: value` and CR LF each. Names hold no colon and values no CR, so they are found again.
    lines: Vec<u8>,
    buffer: Vec<u8>,
    held: Held,
    /// The line that carries the request's id.
    id_line: Vec<u8>,
    /// There may be such a line among the fields already: by hand, or carried.
    has_id: bool,
    /// There is `upgrade` among the fields, which `connection` then names.
    offers_upgrade: bool,
    close: bool,
}

/// The content, where it is not in the buffer.
#[derive(Debug, Default)]
enum Held {
    #[default]
    Nothing,
    Bytes(Bytes),
    Stream(ContentStream),
    File(FilePart),
    /// None: the connection leaves HTTP.
    Upgrade(UpgradeTask),
}

/// What the line of a request's id begins with.
const ID_NAME: &[u8] = b"x-request-id: ";

/// The line of an id that was made here.
const FRESH_ID_LINE: &[u8; 48] = b"x-request-id: 00000000000000000000000000000000\r\n";

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
        self.push(&name, value.into());
    }

    /// Adds a field beside others of its name. Fields of one name leave together, where the first of them stands.
    ///
    /// # Panics
    /// In debug builds, on a field that is the transport's.
    pub fn append<'v>(&mut self, name: HeaderName, value: impl Into<FieldValue<'v>>) {
        let last = self.places(&name).last();
        match last {
            Some(line) if line.end < self.lines.len() => {
                let rest = self.lines.split_off(line.end);
                self.push(&name, value.into());
                self.lines.extend_from_slice(&rest);
            }
            _ => self.push(&name, value.into()),
        }
    }

    fn push(&mut self, name: &HeaderName, value: FieldValue<'_>) {
        if is_framing(name) {
            debug_assert!(false, "`{name}` is set by the transport");
            return;
        }
        self.has_id |= *name == X_REQUEST_ID;
        self.offers_upgrade |= *name == UPGRADE;
        self.lines.extend_from_slice(name.as_str().as_bytes());
        self.lines.extend_from_slice(b": ");
        value.with_bytes(|bytes| self.lines.extend_from_slice(bytes));
        self.lines.extend_from_slice(b"\r\n");
    }

    /// Takes all fields of a name away.
    #[inline]
    pub fn remove(&mut self, name: &HeaderName) {
        // Most replies have no field, or one, when another is set.
        if !self.lines.is_empty() {
            self.remove_lines(name);
        }
    }

    fn remove_lines(&mut self, name: &HeaderName) {
        loop {
            let Some(line) = self.places(name).next() else { return };
            self.lines.drain(line);
        }
    }

    /// The first value of a field.
    pub fn field(&self, name: &HeaderName) -> Option<&[u8]> {
        self.fields().find(|(n, _)| *n == name.as_str()).map(|(_, value)| value)
    }

    /// All fields in the order they leave in, names in lower case.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.split().map(|(name, line)| {
            let value = &self.lines[line.start + name.len() + 2..line.end - 2];
            (std::str::from_utf8(name).expect("a name is ASCII"), value)
        })
    }

    /// All fields as they leave, for transports that write HTTP/1: a line each, its end included.
    #[inline]
    pub fn field_lines(&self) -> &[u8] {
        &self.lines
    }

    /// Sets `content-type` by a line that is there already.
    #[inline(always)]
    pub(crate) fn set_type(&mut self, line: &'static str) {
        debug_assert!(
            line.starts_with("content-type: ") && line.ends_with("\r\n"),
            "it is a line"
        );
        self.remove(&CONTENT_TYPE);
        self.lines.extend_from_slice(line.as_bytes());
    }

    /// Adds lines that are there already: what [`field_lines`](Self::field_lines) gave of a reply before. They take the place of no
    /// field; those of one name still leave together. Into a reply without fields this is one copy.
    ///
    /// # Panics
    /// In debug builds, on what is no lines, and on a line that is the transport's or carries a request's id.
    #[doc(hidden)]
    pub fn append_lines(&mut self, lines: &[u8]) {
        debug_assert!(
            split(lines).all(|(name, _)| {
                HeaderName::from_lowercase(name).is_ok_and(|name| !is_framing(&name) && name != X_REQUEST_ID)
            }),
            "the lines are those of an answer's own fields"
        );
        if self.lines.is_empty() {
            return self.lines.extend_from_slice(lines);
        }
        for (name, line) in split(lines) {
            let last = self.split().filter(|(other, _)| *other == name).last();
            let at = last.map_or(self.lines.len(), |(_, place)| place.end);
            self.lines.splice(at..at, lines[line].iter().copied());
        }
    }

    /// The name of each field, and where its line is.
    fn split(&self) -> impl Iterator<Item = (&[u8], Range<usize>)> {
        split(&self.lines)
    }

    /// Where the lines of a field are.
    fn places(&self, name: &HeaderName) -> impl Iterator<Item = Range<usize>> {
        let name = name.as_str().as_bytes();
        self.split().filter(move |(n, _)| *n == name).map(|(_, line)| line)
    }

    /// The buffer for content that is made piece by piece. Content that was set before is dropped.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        self.let_go();
        &mut self.buffer
    }

    /// Drops what is held beside the buffer, which most often is nothing.
    #[inline(always)]
    fn let_go(&mut self) {
        if !matches!(self.held, Held::Nothing) {
            self.held = Held::Nothing;
        }
    }

    /// Takes content that is there already, by reference: neither `Bytes` nor `&'static [u8]` is copied.
    pub fn set_content(&mut self, content: impl Into<Bytes>) {
        self.hold(Held::Bytes(content.into()));
    }

    /// Takes content that comes over time.
    pub fn set_stream(&mut self, stream: ContentStream) {
        self.hold(Held::Stream(stream));
    }

    /// Takes content that is in a file.
    pub fn set_file(&mut self, part: FilePart) {
        self.hold(Held::File(part));
    }

    fn hold(&mut self, held: Held) {
        self.buffer.clear();
        self.held = held;
    }

    /// The content as it stands, where it is in memory; otherwise nothing.
    pub fn content(&self) -> &[u8] {
        match &self.held {
            Held::Nothing => &self.buffer,
            Held::Bytes(bytes) => bytes,
            Held::Stream(_) | Held::File(_) | Held::Upgrade(_) => &[],
        }
    }

    /// How many bytes the content has. `None`: it is a stream that does not know.
    pub fn length(&self) -> Option<u64> {
        match &self.held {
            Held::Stream(stream) => http_body::Body::size_hint(stream).exact(),
            Held::File(part) => Some(part.length()),
            Held::Nothing | Held::Bytes(_) | Held::Upgrade(_) => Some(self.content().len() as u64),
        }
    }

    /// Takes the content away, whatever it is: for middlewares that put something in its place.
    pub fn take(&mut self) -> Content {
        match std::mem::take(&mut self.held) {
            Held::Bytes(bytes) => Content::Bytes(bytes),
            Held::Stream(stream) => Content::Stream(stream),
            Held::File(part) => Content::File(part),
            Held::Nothing => Content::Bytes(std::mem::take(&mut self.buffer).into()),
            upgrade @ Held::Upgrade(_) => {
                self.held = upgrade;
                Content::Bytes(Bytes::new())
            }
        }
    }

    /// For transports: takes the content away, if it is a stream or in a file, or is held by reference, or was made in the buffer
    /// and is longer than `above`. Otherwise it stays, as [`content`](Self::content). There is none on 204, 205 and 304, whatever a
    /// handler wrote (RFC 9110 15.3.5, 15.3.6, 15.4.5).
    #[inline]
    pub fn take_content(&mut self, above: usize) -> Option<Content> {
        let bodiless = [
            StatusCode::NO_CONTENT,
            StatusCode::RESET_CONTENT,
            StatusCode::NOT_MODIFIED,
        ];
        if bodiless.contains(&self.status) {
            self.buffer().clear();
        }
        match &self.held {
            Held::Nothing if self.buffer.len() <= above => None,
            Held::Upgrade(_) => None,
            _ => Some(self.take()),
        }
    }

    /// Whether the content is not in memory: it is a stream or in a file, and has to be taken with
    /// [`take_content`](Self::take_content), or the connection leaves HTTP.
    #[inline]
    pub fn is_elsewhere(&self) -> bool {
        !matches!(self.held, Held::Nothing | Held::Bytes(_))
    }

    /// The connection leaves HTTP once this has been answered: 101.
    pub(crate) fn set_upgrade(&mut self, task: UpgradeTask) {
        self.hold(Held::Upgrade(task));
        self.status = StatusCode::SWITCHING_PROTOCOLS;
    }

    /// For transports: what takes the connection over, if nothing has come between.
    pub fn take_upgrade(&mut self) -> Option<UpgradeTask> {
        if self.status != StatusCode::SWITCHING_PROTOCOLS {
            return None;
        }
        match std::mem::take(&mut self.held) {
            Held::Upgrade(task) => Some(task),
            held => {
                self.held = held;
                None
            }
        }
    }

    /// For transports: there was `upgrade` among the fields, and HTTP/1 says so in `connection`, too (RFC 9110 7.8).
    pub fn offers_upgrade(&self) -> bool {
        self.offers_upgrade
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
        let id = self.id_line.strip_prefix(ID_NAME)?.strip_suffix(b"\r\n")?;
        std::str::from_utf8(id).ok()
    }

    /// Gives the request its id, which the caller has checked: printable ASCII only, and some.
    #[inline(always)]
    pub(crate) fn set_request_id(&mut self, id: &[u8]) {
        self.id_line.clear();
        self.id_line.extend_from_slice(ID_NAME);
        self.id_line.extend_from_slice(id);
        self.id_line.extend_from_slice(b"\r\n");
    }

    /// Gives the request an id of the usual length: one piece, whose length the compiler knows.
    #[inline(always)]
    pub(crate) fn set_fresh_id(&mut self, id: &[u8; 32]) {
        let mut line = *FRESH_ID_LINE;
        line[ID_NAME.len()..][..id.len()].copy_from_slice(id);
        self.id_line.clear();
        self.id_line.extend_from_slice(&line);
    }

    /// Sets `x-request-id` to the id, if there is one.
    #[inline]
    pub(crate) fn carry_request_id(&mut self) {
        if self.id_line.is_empty() {
            return;
        }
        if std::mem::replace(&mut self.has_id, true) {
            self.remove(&X_REQUEST_ID);
        }
        match self.id_line.first_chunk::<{ FRESH_ID_LINE.len() }>() {
            Some(line) if line.len() == self.id_line.len() => self.lines.extend_from_slice(line),
            _ => self.lines.extend_from_slice(&self.id_line),
        }
    }

    /// Makes room for this many bytes of fields, and of content.
    pub fn reserve(&mut self, bytes: usize) {
        self.lines.reserve(bytes);
        self.buffer.reserve(bytes);
        self.id_line.reserve(FRESH_ID_LINE.len());
    }

    /// Drops status, fields and content; keeps the request id, the wish to close and the buffers.
    pub fn clear(&mut self) {
        self.status = StatusCode::OK;
        (self.has_id, self.offers_upgrade) = (false, false);
        wipe(&mut self.lines);
        wipe(&mut self.buffer);
        self.let_go();
    }

    /// Makes the reply as new for the next exchange, keeping its buffers unless one has grown past `keep` bytes.
    pub fn recycle(&mut self, keep: usize) {
        self.clear();
        wipe(&mut self.id_line);
        self.close = false;
        if self.buffer.capacity() > keep {
            self.buffer = Vec::new();
        }
        if self.lines.capacity() > keep {
            self.lines = Vec::new();
        }
    }
}

/// The name of each field, and where in the lines its line is.
fn split(lines: &[u8]) -> impl Iterator<Item = (&[u8], Range<usize>)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = lines.get(start..).filter(|rest| !rest.is_empty())?;
        let colon = memchr::memchr(b':', rest).expect("a line has a name");
        let end = memchr::memchr(b'\n', &rest[colon..]).expect("a line has an end");
        let line = start..start + colon + end + 1;
        start = line.end;
        Some((&rest[..colon], line))
    })
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
        reply.fields().map(|(name, value)| (name, text(value))).collect()
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
    fn lines_of_before_join_the_fields_that_are_there() {
        let mut before = Reply::default();
        before.append(ETAG, FieldValue::from(7));
        before.append(SET_COOKIE, FieldValue::from_static("a"));
        let mut reply = Reply::default();
        reply.append_lines(before.field_lines());
        assert_eq!(fields(&reply), [("etag", "7"), ("set-cookie", "a")]);
        reply.append(LOCATION, FieldValue::from_static("/"));
        reply.append_lines(b"set-cookie: b\r\nvary: x\r\n");
        let joined = [
            ("etag", "7"),
            ("set-cookie", "a"),
            ("set-cookie", "b"),
            ("location", "/"),
            ("vary", "x"),
        ];
        assert_eq!(fields(&reply), joined);
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
        assert!(reply.take_content(4).is_none());
        assert_eq!(reply.content(), b"made");
        assert!(matches!(reply.take_content(3), Some(Content::Bytes(made)) if made == "made"));
        reply.set_content("shared");
        assert!(matches!(reply.take_content(100), Some(Content::Bytes(shared)) if shared == "shared"));
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
                assert!(
                    reply.take_content(0).is_none() && reply.content().is_empty(),
                    "{status}"
                );
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
