//! Requests of no transport, and what came of them.

use pw_core::{
    Body, Content, HeadBuffer, Middleware, Next, Parts, Problem, Reply, RequestHead, Respond, Span, Version,
};
use pw_files::Files;

/// What there is of a body: nothing.
#[derive(Default)]
pub(crate) struct Empty;

impl Body for Empty {
    async fn read(&mut self, _: usize) -> Result<&[u8], Problem> {
        Ok(&[])
    }

    async fn chunk(&mut self) -> Result<Option<&[u8]>, Problem> {
        Ok(None)
    }
}

pub(crate) type Exchange = Parts<Empty>;

/// A head with these fields.
pub(crate) fn head(method: &str, target: &str, fields: &[(&str, &str)]) -> HeadBuffer {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let line = format!("{method}{path}{query}");
    let (method_end, path_end) = (method.len(), method.len() + path.len());
    let mut head = HeadBuffer::default();
    head.start(
        Version::Http11,
        &line,
        Span::new(0, method_end),
        Span::new(method_end, path_end),
        Span::new(path_end, line.len()),
    );
    for (name, value) in fields {
        head.push_field(name, value.as_bytes());
    }
    head
}

/// An answer as a client sees it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn of(mut reply: Reply) -> Self {
        let fields = reply.fields().map(|(name, value)| {
            let value = String::from_utf8(value.to_vec()).expect("these are text");
            (name.to_owned(), value)
        });
        let fields = fields.collect();
        let length = reply.length();
        let body = match reply.take_content(0) {
            None => reply.content().to_vec(),
            Some(Content::Bytes(bytes)) => bytes.to_vec(),
            Some(Content::File(part)) => {
                let mut bytes = vec![0; part.length() as usize];
                let read = part.file().read_at(&mut bytes, part.start()).expect("it can be read");
                bytes.truncate(read);
                bytes
            }
            Some(Content::Stream(stream)) => collect(stream).expect("nobody has touched the file"),
        };
        if ![304, 204].contains(&reply.status().as_u16()) {
            assert_eq!(length, Some(body.len() as u64), "the length is that of the content");
        }
        Self {
            status: reply.status().as_u16(),
            fields,
            body,
        }
    }

    /// The value of a field that is there once.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let mut values = self.fields.iter().filter(|(n, _)| n == name).map(|(_, value)| &**value);
        let value = values.next();
        assert_eq!(values.next(), None, "`{name}` is there once");
        value
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("it is text")
    }
}

/// All of a stream.
pub(crate) fn collect(mut stream: pw_core::ContentStream) -> Result<Vec<u8>, pw_core::BoxError> {
    let mut bytes = Vec::new();
    while let Some(frame) = run(next(&mut stream)).transpose()? {
        bytes.extend_from_slice(&frame.into_data().expect("there are no trailers"));
    }
    Ok(bytes)
}

async fn next(
    stream: &mut pw_core::ContentStream,
) -> Option<Result<http_body::Frame<bytes::Bytes>, pw_core::BoxError>> {
    std::future::poll_fn(|task| http_body::Body::poll_frame(std::pin::Pin::new(&mut *stream), task)).await
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime without drivers")
        .block_on(future)
}

/// As a route `/static/{*path}` would: the path is decoded, once.
pub(crate) fn get(files: &Files, path: &str, fields: &[(&str, &str)]) -> Answer {
    ask(files, "GET", path, fields)
}

pub(crate) fn ask(files: &Files, method: &str, path: &str, fields: &[(&str, &str)]) -> Answer {
    let head = head(method, &format!("/static/{path}"), fields);
    let raw = head.path().strip_prefix("/static/").expect("it was put there");
    let mut decoded = Vec::new();
    let mut reply = Reply::default();
    let answer = match pw_core::percent::decode_path(raw.as_bytes(), &mut decoded) {
        Ok(()) => files.find(&head, std::str::from_utf8(&decoded).expect("it was checked")),
        Err(_) => Err(Problem::bad_request("as the router")),
    };
    if let Err(problem) = answer.and_then(|answer| answer.respond(&mut reply)) {
        problem.write(&mut reply);
    }
    Answer::of(reply)
}

/// What a middleware makes of a request, where the rest of the chain answers `next`.
pub(crate) fn through(middleware: &impl Middleware, method: &str, target: &str) -> Answer {
    routed(middleware, &head(method, target, &[]))
}

/// The same, of a head that may have found its route.
pub(crate) fn routed(middleware: &impl Middleware, head: &HeadBuffer) -> Answer {
    struct Rest;
    impl Next<Exchange> for Rest {
        async fn run(self, _: &HeadBuffer, cx: &mut Exchange) -> Result<(), Problem> {
            cx.reply.set_content("next");
            Ok(())
        }
    }
    let mut exchange = Exchange::new(Empty);
    if let Err(problem) = run(middleware.around(head, &mut exchange, Rest)) {
        problem.write(&mut exchange.reply);
    }
    Answer::of(exchange.reply)
}
