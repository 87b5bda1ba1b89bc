//! `Request`: one request under construction, sent by `send` or by `await`.

use std::future::{Future, IntoFuture};
use std::panic::Location;
use std::pin::Pin;

use http::{HeaderName, HeaderValue};
use serde::Serialize;
use tokio::task::JoinHandle;

#[cfg(feature = "ws")]
use super::socket::{self, Socket};
use super::wire::Failure;
use super::{Answer, StreamAnswer, TestApp};

/// A request to a [`TestApp`], about to be sent.
///
/// ```
/// # use polywire::testing::{Nothing as Routes, TestApp, json};
/// # let app = TestApp::new(Routes::new());
/// let answer = app.post("/orders").header("accept", "application/json").json(&json!({"book": 7})).send();
/// assert_eq!(answer.status(), 404);
/// ```
#[must_use = "a request is sent by `.send()`, or by `.await` in an async test"]
pub struct Request<'a> {
    app: &'a TestApp,
    method: String,
    target: String,
    fields: Vec<(HeaderName, HeaderValue)>,
    content: Option<Vec<u8>>,
    place: &'static Location<'static>,
}

impl<'a> Request<'a> {
    #[track_caller]
    pub(super) fn new(app: &'a TestApp, method: String, target: String) -> Self {
        assert!(
            http::Method::from_bytes(method.as_bytes()).is_ok(),
            "`{method}` can't be a method"
        );
        assert!(
            !target.is_empty() && target.bytes().all(|b| b.is_ascii_graphic()),
            "`{target}` can't be a request target: percent-encode what is not visible ASCII"
        );
        Self {
            app,
            method,
            target,
            fields: Vec::new(),
            content: None,
            place: Location::caller(),
        }
    }

    /// Adds a field. `host` is `localhost` unless it is set here; `content-length` is the request's own.
    ///
    /// # Panics
    /// The name or the value can't stand in a head. [`TestApp::raw`] sends anything.
    #[track_caller]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let field = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value));
        let (Ok(name), Ok(value)) = field else {
            panic!("`{name}: {value}` can't be a field");
        };
        self.fields.push((name, value));
        self
    }

    /// Adds a pair to the query, encoded.
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.target.push(if self.target.contains('?') { '&' } else { '?' });
        encode(name, &mut self.target);
        self.target.push('=');
        encode(value, &mut self.target);
        self
    }

    /// The content, as it is. No `content-type` is set.
    pub fn body(mut self, content: impl Into<Vec<u8>>) -> Self {
        self.content = Some(content.into());
        self
    }

    /// The content, as JSON, with its `content-type` unless one was set.
    ///
    /// # Panics
    /// The value can't be written as JSON.
    #[track_caller]
    pub fn json(self, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(content) => self.typed("application/json", content),
            Err(error) => panic!("this can't be JSON: {error}"),
        }
    }

    /// The content, as an HTML form sends pairs, with its `content-type` unless one was set.
    pub fn form(self, pairs: &[(&str, &str)]) -> Self {
        let mut content = String::new();
        for (name, value) in pairs {
            if !content.is_empty() {
                content.push('&');
            }
            encode(name, &mut content);
            content.push('=');
            encode(value, &mut content);
        }
        self.typed("application/x-www-form-urlencoded", content.into_bytes())
    }

    fn typed(mut self, media_type: &'static str, content: Vec<u8>) -> Self {
        if !self.sets(&http::header::CONTENT_TYPE) {
            let field = (http::header::CONTENT_TYPE, HeaderValue::from_static(media_type));
            self.fields.push(field);
        }
        self.body(content)
    }

    /// Sends it, and waits for the whole answer.
    ///
    /// # Panics
    /// There is no answer within 30 seconds, or what comes is not HTTP.
    #[track_caller]
    pub fn send(self) -> Answer {
        let (done, wait) = std::sync::mpsc::sync_channel(1);
        let (title, place) = (self.title(), self.place);
        let exchange = self.start();
        // Waiting on the handle itself would need a runtime here, or none: a test may have either.
        let _forward = self.app.runtime().spawn(async move {
            let _ = done.send(exchange.await);
        });
        finish(wait.recv().expect("the forwarding task sends or panics"), &title, place)
    }

    /// Sends it, and waits for the head of the answer, which is then looked at as it comes: for answers that don't end, or whose first part
    /// is to be seen before the last is there.
    ///
    /// # Panics
    /// There is no head within 30 seconds, or what comes is not HTTP.
    #[track_caller]
    pub fn send_stream(self) -> StreamAnswer<'a> {
        let (server, method, bytes) = (self.app.server(), self.method.clone(), self.bytes());
        let opened = self.app.wait(async move { server.open(&method, bytes).await });
        match opened.unwrap_or_else(|patience| Err(Failure::Timeout(patience))) {
            Ok((head, opened)) => {
                let answer = Answer::new(head.status, head.fields, Vec::new()).of(&self.title(), self.place);
                StreamAnswer::new(self.app, (answer, opened), self.title(), self.place)
            }
            Err(failure) => panic!("{} (made at {}): {failure}", self.title(), self.place),
        }
    }

    /// Opens a WebSocket, with what was set as fields of the handshake: `.header("origin", "https://app.example")`.
    ///
    /// # Panics
    /// The answer is something else than 101; [`try_socket`](Self::try_socket) gives it.
    #[cfg(feature = "ws")]
    #[track_caller]
    pub fn socket(self) -> Socket<'a> {
        match self.try_socket() {
            Ok(socket) => socket,
            Err(answer) => panic!("no WebSocket was opened\n{answer:?}"),
        }
    }

    /// Opens a WebSocket, or gives the answer that refuses it.
    ///
    /// # Panics
    /// There is no answer within 30 seconds, or what comes is not HTTP, or a 101 that does not fit the request.
    #[cfg(feature = "ws")]
    #[track_caller]
    pub fn try_socket(mut self) -> Result<Socket<'a>, Box<Answer>> {
        for (name, value) in [
            ("connection", "upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", socket::KEY),
        ] {
            self = self.header(name, value);
        }
        let (server, method, bytes) = (self.app.server(), self.method.clone(), self.bytes());
        let (title, place) = (self.title(), self.place);
        let outcome = self.app.wait(async move {
            let (head, mut opened) = server.open(&method, bytes).await?;
            if head.status == http::StatusCode::SWITCHING_PROTOCOLS {
                let io = opened.into_io().await.ok_or(Failure::NoAnswer)?;
                return Ok((Answer::new(head.status, head.fields, Vec::new()), Some(io)));
            }
            let content = opened.content().await?;
            Ok((Answer::new(head.status, head.fields, content), None))
        });
        match outcome.unwrap_or_else(|patience| Err(Failure::Timeout(patience))) {
            Ok((answer, Some(io))) => {
                let answer = answer
                    .of(&title, place)
                    .assert_header("sec-websocket-accept", socket::ACCEPT);
                Ok(Socket::new(self.app, answer, io, title, place))
            }
            Ok((answer, None)) => Err(Box::new(answer.of(&title, place))),
            Err(failure) => panic!("{title} (made at {place}): {failure}"),
        }
    }

    fn start(&self) -> JoinHandle<Result<Answer, Failure>> {
        let (server, method, bytes) = (self.app.server(), self.method.clone(), self.bytes());
        self.app
            .runtime()
            .spawn(async move { server.exchange(&method, bytes).await })
    }

    fn title(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    /// The bytes of the request.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        let mut field = |name: &str, value: &[u8]| {
            bytes.extend_from_slice(name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(value);
            bytes.extend_from_slice(b"\r\n");
        };
        if !self.sets(&http::header::HOST) {
            field("host", b"localhost");
        }
        for (name, value) in &self.fields {
            field(name.as_str(), value.as_bytes());
        }
        // RFC 9110 8.6: a method that gives content a meaning says that there is none.
        let expects_content = matches!(&*self.method, "POST" | "PUT" | "PATCH");
        if self.content.is_some() || expects_content {
            let length = self.content.as_ref().map_or(0, Vec::len);
            field("content-length", length.to_string().as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(self.content.as_deref().unwrap_or_default());
        bytes
    }

    fn sets(&self, name: &HeaderName) -> bool {
        self.fields.iter().any(|(n, _)| n == name)
    }
}

/// `app.get("/").await`, in a test that is async itself.
impl<'a> IntoFuture for Request<'a> {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { finish(self.start().await, &self.title(), self.place) })
    }
}

#[track_caller]
fn finish(
    outcome: Result<Result<Answer, Failure>, tokio::task::JoinError>,
    title: &str,
    place: &'static Location<'static>,
) -> Answer {
    match outcome {
        Ok(Ok(answer)) => answer.of(title, place),
        Ok(Err(failure)) => panic!("{title} (made at {place}): {failure}"),
        Err(error) => panic!("{title} (made at {place}): {error}"),
    }
}

/// Encodes as `application/x-www-form-urlencoded` does.
fn encode(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => {
                out.push('%');
                for digit in [byte >> 4, byte & 15] {
                    out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_encoded_as_forms_are() {
        let mut out = String::new();
        encode("a b&c=d/é", &mut out);
        assert_eq!(out, "a+b%26c%3Dd%2F%C3%A9");
    }
}
