//! `Answer`: what came back, to be looked at or asserted on.

use std::fmt;
use std::panic::Location;

use http::{HeaderMap, StatusCode};
use pw_core::problem::Kind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The answer to one request, whole.
///
/// Its assertions give it back, so that they chain, and show all of it when they fail.
///
/// ```
/// # use polywire::testing::{Nothing as Routes, TestApp};
/// # let app = TestApp::new(Routes::new());
/// let document: polywire::testing::Value = app
///     .get("/nowhere")
///     .send()
///     .assert_status(404)
///     .assert_header("content-type", "application/problem+json")
///     .json();
/// assert_eq!(document["title"], "Not found");
/// ```
pub struct Answer {
    status: StatusCode,
    fields: HeaderMap,
    content: Vec<u8>,
    /// The request's method and target, and where the test made it.
    request: Option<(String, &'static Location<'static>)>,
}

impl Answer {
    pub(super) fn new(status: StatusCode, fields: HeaderMap, content: Vec<u8>) -> Self {
        Self {
            status,
            fields,
            content,
            request: None,
        }
    }

    pub(super) fn of(mut self, request: &str, place: &'static Location<'static>) -> Self {
        self.request = Some((request.to_owned(), place));
        self
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// All fields.
    pub fn headers(&self) -> &HeaderMap {
        &self.fields
    }

    /// The first value of a field.
    ///
    /// # Panics
    /// The value is not visible ASCII; [`headers`](Self::headers) has such ones.
    #[track_caller]
    pub fn header(&self, name: &str) -> Option<&str> {
        let value = self.fields.get(name)?;
        match value.to_str() {
            Ok(text) => Some(text),
            Err(_) => self.fail(format_args!("`{name}` is not visible ASCII")),
        }
    }

    /// The content.
    pub fn bytes(&self) -> &[u8] {
        &self.content
    }

    /// The content as text.
    ///
    /// # Panics
    /// It is not UTF-8.
    #[track_caller]
    pub fn text(&self) -> String {
        match std::str::from_utf8(&self.content) {
            Ok(text) => text.to_owned(),
            Err(_) => self.fail("the content is not UTF-8"),
        }
    }

    /// The content, read as JSON.
    ///
    /// # Panics
    /// It is not JSON, or not that of a `T`.
    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self) -> T {
        match serde_json::from_slice(&self.content) {
            Ok(value) => value,
            Err(error) => self.fail(format_args!(
                "the content is not the JSON of a `{}`: {error}",
                std::any::type_name::<T>()
            )),
        }
    }

    /// Asserts the status: `200`, or `StatusCode::OK`.
    ///
    /// # Panics
    /// It is another.
    #[track_caller]
    pub fn assert_status(self, status: impl PartialEq<StatusCode> + fmt::Debug) -> Self {
        if !(status == self.status) {
            self.fail(format_args!("the status should be {status:?}"));
        }
        self
    }

    /// Asserts the first value of a field.
    ///
    /// # Panics
    /// It is another, or there is none.
    #[track_caller]
    pub fn assert_header(self, name: &str, value: &str) -> Self {
        if self.fields.get(name).is_none_or(|v| v != value) {
            self.fail(format_args!("it should have `{name}: {value}`"));
        }
        self
    }

    /// Asserts the content, as text.
    ///
    /// # Panics
    /// It is another.
    #[track_caller]
    pub fn assert_text(self, text: &str) -> Self {
        if self.content != text.as_bytes() {
            self.fail(format_args!("the content should be {text:?}"));
        }
        self
    }

    /// Asserts that the content is JSON, by its media type too, and of this value: the order of members and white space
    /// don't count.
    ///
    /// # Panics
    /// It is not.
    #[track_caller]
    pub fn assert_json(self, value: impl Serialize) -> Self {
        let expected = match serde_json::to_value(value) {
            Ok(expected) => expected,
            Err(error) => panic!("the expected value can't be JSON: {error}"),
        };
        let media_type = self
            .fields
            .get(http::header::CONTENT_TYPE)
            .map_or(&b""[..], |value| value.as_bytes());
        let essence = media_type.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
        if !(essence == b"application/json" || essence.ends_with(b"+json")) {
            self.fail("the content-type should be JSON's");
        }
        let actual: Value = self.json();
        if actual != expected {
            self.fail(format_args!("the content should be {expected}"));
        }
        self
    }

    /// Asserts that it is a problem document of this kind: status, media type and `type`.
    ///
    /// # Panics
    /// It is not.
    #[track_caller]
    pub fn assert_problem(self, kind: &Kind) -> Self {
        let answer = self
            .assert_status(kind.status())
            .assert_header("content-type", "application/problem+json");
        let document: Value = answer.json();
        if document["type"] != kind.type_uri() {
            answer.fail(format_args!("the problem's type should be {}", kind.type_uri()));
        }
        answer
    }

    #[track_caller]
    fn fail(&self, why: impl fmt::Display) -> ! {
        panic!("{why}\n{self:?}")
    }
}

/// The whole answer, as it would look on the wire, under the request it is for.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((request, place)) = &self.request {
            writeln!(f, "--- the answer to {request}, sent at {place}")?;
        }
        writeln!(f, "{}", self.status)?;
        for (name, value) in &self.fields {
            writeln!(f, "{name}: {}", value.as_bytes().escape_ascii())?;
        }
        match std::str::from_utf8(&self.content) {
            Ok(text) => write!(f, "\n{text}"),
            Err(_) => write!(f, "\n{}", self.content.escape_ascii()),
        }
    }
}
