//! `StreamAnswer`: an answer that is looked at while it comes, such as one that never ends.

use std::fmt;
use std::panic::Location;

use http::StatusCode;
use serde::de::DeserializeOwned;

use super::wire::{Failure, Opened};
use super::{Answer, TestApp};

/// An answer as it comes: [pieces](Iterator::next), [lines](Self::line) or [events](Self::event). Dropped before its end, it is a client
/// that goes.
///
/// ```no_run
/// # use polywire::testing::{Nothing as Routes, TestApp};
/// # let app = TestApp::new(Routes::new());
/// let mut clock = app.get("/clock").send_stream().assert_status(200);
/// let tick = clock.event().expect("it goes on");
/// assert_eq!(tick.name.as_deref(), Some("tick"));
/// ```
///
/// Whatever is asked of it waits, in an async test too: the application has threads of its own.
pub struct StreamAnswer<'a> {
    app: &'a TestApp,
    head: Answer,
    title: String,
    place: &'static Location<'static>,
    /// `None` at the end.
    opened: Option<Opened>,
    /// What came and has not been given.
    bytes: Vec<u8>,
}

/// An answer's connection ended before the answer did: what a client sees of a stream that failed.
///
/// Its text says what had come.
#[derive(Debug)]
pub struct Broken(Failure);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Broken {}

/// A server-sent event, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Its id.
    pub id: Option<String>,
    /// Its name; a page hears one without as `message`.
    pub name: Option<String>,
    /// Its data: what stands in its lines, between line feeds.
    pub data: String,
}

impl Event {
    /// The data, read as JSON.
    ///
    /// # Panics
    /// It is not JSON, or not that of a `T`.
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_str(&self.data) {
            Ok(value) => value,
            Err(error) => panic!(
                "{self:?} is not the JSON of a `{}`: {error}",
                std::any::type_name::<T>()
            ),
        }
    }
}

impl<'a> StreamAnswer<'a> {
    pub(super) fn new(
        app: &'a TestApp,
        (head, opened): (Answer, Opened),
        title: String,
        place: &'static Location<'static>,
    ) -> Self {
        Self {
            app,
            head,
            title,
            place,
            opened: Some(opened),
            bytes: Vec::new(),
        }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.head.status()
    }

    /// The first value of a field.
    ///
    /// # Panics
    /// The value is not visible ASCII.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    /// Asserts the status: `200`, or `StatusCode::OK`.
    ///
    /// # Panics
    /// It is another.
    #[track_caller]
    pub fn assert_status(mut self, status: impl PartialEq<StatusCode> + fmt::Debug) -> Self {
        self.head = self.head.assert_status(status);
        self
    }

    /// Asserts the first value of a field.
    ///
    /// # Panics
    /// It is another, or there is none.
    #[track_caller]
    pub fn assert_header(mut self, name: &str, value: &str) -> Self {
        self.head = self.head.assert_header(name, value);
        self
    }

    /// The next piece, as [`next`](Self::next) gives it. `Ok(None)` is a clean end and `Err` a broken one, behind which there is nothing.
    ///
    /// ```no_run
    /// # use polywire::testing::{Nothing as Routes, TestApp};
    /// # let app = TestApp::new(Routes::new());
    /// let mut report = app.get("/report").send_stream().assert_status(200);
    /// let mut content = Vec::new();
    /// let broken = loop {
    ///     match report.try_next() {
    ///         Ok(Some(piece)) => content.extend(piece),
    ///         Ok(None) => panic!("half a report must not look like a whole one"),
    ///         Err(broken) => break broken,
    ///     }
    /// };
    /// assert!(content.starts_with(b"id,name\n"), "{broken}");
    /// ```
    ///
    /// # Errors
    /// The connection ended before the answer did.
    ///
    /// # Panics
    /// Nothing comes within 30 seconds, or what comes is not HTTP.
    #[track_caller]
    pub fn try_next(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        if self.bytes.is_empty() {
            return self.read();
        }
        Ok(Some(std::mem::take(&mut self.bytes)))
    }

    /// The next line, without what ends it: a value of NDJSON. `None` at the end.
    ///
    /// # Panics
    /// It is not UTF-8; or as for [`next`](Self::next).
    #[track_caller]
    pub fn line(&mut self) -> Option<String> {
        let mut line = loop {
            if let Some(end) = self.bytes.iter().position(|b| *b == b'\n') {
                break self.bytes.drain(..=end).collect::<Vec<_>>();
            }
            match self.read_whole() {
                Some(piece) => self.bytes.extend(piece),
                None if self.bytes.is_empty() => return None,
                None => break std::mem::take(&mut self.bytes),
            }
        };
        while line.pop_if(|end| matches!(end, b'\n' | b'\r')).is_some() {}
        match String::from_utf8(line) {
            Ok(line) => Some(line),
            Err(error) => panic!(
                "{}: a line is not UTF-8: {}",
                self.title,
                error.as_bytes().escape_ascii()
            ),
        }
    }

    /// The next server-sent event, behind comments and whatever else has no data. `None` at the end.
    ///
    /// # Panics
    /// As for [`line`](Self::line).
    #[track_caller]
    pub fn event(&mut self) -> Option<Event> {
        let (mut event, mut data) = (Event::default(), None::<String>);
        loop {
            let line = self.line()?;
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" if line.is_empty() => match data.take() {
                    Some(data) => return Some(Event { data, ..event }),
                    None => event = Event::default(),
                },
                "id" => event.id = Some(value.to_owned()),
                "event" => event.name = Some(value.to_owned()),
                "data" => match &mut data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    none => *none = Some(value.to_owned()),
                },
                _ => {}
            }
        }
    }

    #[track_caller]
    fn read_whole(&mut self) -> Option<Vec<u8>> {
        match self.read() {
            Ok(piece) => piece,
            Err(Broken(failure)) => self.fail(&failure),
        }
    }

    #[track_caller]
    fn read(&mut self) -> Result<Option<Vec<u8>>, Broken> {
        let Some(mut opened) = self.opened.take() else {
            return Ok(None);
        };
        let read = self.app.wait(async move { (opened.piece().await, opened) });
        match read {
            Ok((Ok(Some(piece)), opened)) => {
                self.opened = Some(opened);
                Ok(Some(piece))
            }
            Ok((Ok(None), _)) => Ok(None),
            Ok((Err(failure @ Failure::Early(_)), _)) => Err(Broken(failure)),
            Ok((Err(failure), _)) => self.fail(&failure),
            Err(patience) => self.fail(&Failure::Timeout(patience)),
        }
    }

    #[track_caller]
    fn fail(&self, failure: &Failure) -> ! {
        panic!("{} (made at {}): {failure}", self.title, self.place)
    }
}

/// What has come, in pieces as they come. It ends with the answer, if that has a clean end.
///
/// # Panics
/// Nothing comes within 30 seconds; the connection ends before the answer does, which [`try_next`](StreamAnswer::try_next) tells.
impl Iterator for StreamAnswer<'_> {
    type Item = Vec<u8>;

    #[track_caller]
    fn next(&mut self) -> Option<Vec<u8>> {
        match self.try_next() {
            Ok(piece) => piece,
            Err(Broken(failure)) => self.fail(&failure),
        }
    }
}

impl fmt::Debug for StreamAnswer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.head.fmt(f)
    }
}
