//! Errors a client sees: problem documents (RFC 9457), `application/problem+json`.
//!
//! A [`Kind`] is what never changes about a problem: status, `type` and `title`. A [`Problem`] is one occurrence. What the
//! framework itself answers is listed in [`kind`]. A problem of a 5xx status never carries text about its cause to
//! the client: the cause goes to the log, once.

mod body;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use http::{HeaderName, StatusCode};

use crate::{Reply, RequestHead, seldom};

/// The constant part of a problem.
///
/// ```
/// use pw_core::{Problem, problem::Kind};
/// static OUT_OF_STOCK: Kind = Kind::new(409, "https://shop.example/problems/out-of-stock", "Out of stock");
/// let problem = Problem::of(&OUT_OF_STOCK).detail("three are left, five were ordered");
/// assert_eq!(problem.status(), 409);
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    status: StatusCode,
    type_uri: &'static str,
    title: &'static str,
}

impl Kind {
    /// A kind of problem: its status, a stable URI that names it, and a short text for people.
    ///
    /// # Panics
    /// The status is not 400 to 599; in a `static`, that is a build error.
    pub const fn new(status: u16, type_uri: &'static str, title: &'static str) -> Self {
        assert!(400 <= status && status <= 599, "a problem's status is 400 to 599");
        match StatusCode::from_u16(status) {
            Ok(status) => Self {
                status,
                type_uri,
                title,
            },
            Err(_) => unreachable!(),
        }
    }

    /// The status of the answer.
    pub const fn status(&self) -> StatusCode {
        self.status
    }

    /// The `type` member.
    pub const fn type_uri(&self) -> &'static str {
        self.type_uri
    }

    /// The `title` member.
    pub const fn title(&self) -> &'static str {
        self.title
    }
}

/// The problems the framework itself answers with. Their `type` is stable.
pub mod kind {
    use super::Kind;

    macro_rules! kinds {
        ($($(#[$doc:meta])* $name:ident = $status:literal $slug:literal $title:literal;)*) => {
            $($(#[$doc])* pub static $name: Kind = Kind::new($status, concat!("urn:polywire:problem:", $slug), $title);)*
            /// Every kind above, for documentation and tests.
            pub static ALL: &[&Kind] = &[$(&$name),*];
        };
    }

    kinds! {
        /// The request breaks the grammar of HTTP, or what it asks for can't be decoded.
        BAD_REQUEST = 400 "bad-request" "Bad request";
        /// A path parameter is not of the type its handler takes.
        INVALID_PATH = 400 "invalid-path-parameter" "Invalid path parameter";
        /// The query does not hold what the handler takes.
        INVALID_QUERY = 400 "invalid-query" "Invalid query";
        /// The body is not what its media type says, or was cut short.
        INVALID_BODY = 400 "invalid-body" "Invalid request body";
        /// No route has this path.
        NOT_FOUND = 404 "not-found" "Not found";
        /// The path is known, but not with this method.
        METHOD_NOT_ALLOWED = 405 "method-not-allowed" "Method not allowed";
        /// The client was too slow to send its request.
        REQUEST_TIMEOUT = 408 "request-timeout" "Request timeout";
        /// The body is larger than the route takes.
        CONTENT_TOO_LARGE = 413 "content-too-large" "Content too large";
        /// The request target is longer than the server takes.
        URI_TOO_LONG = 414 "uri-too-long" "URI too long";
        /// The body's media type is not one the handler takes.
        UNSUPPORTED_MEDIA_TYPE = 415 "unsupported-media-type" "Unsupported media type";
        /// The `Expect` field asks for what this server can't do.
        EXPECTATION_FAILED = 417 "expectation-failed" "Expectation failed";
        /// This server does not answer for the authority the request names.
        MISDIRECTED_REQUEST = 421 "misdirected-request" "Misdirected request";
        /// The body is well-formed and does not hold what the handler takes.
        UNPROCESSABLE_CONTENT = 422 "unprocessable-content" "Unprocessable content";
        /// The head of the request is larger than the server takes.
        HEADER_FIELDS_TOO_LARGE = 431 "request-header-fields-too-large" "Request header fields too large";
        /// The server failed; the log says why.
        INTERNAL = 500 "internal-server-error" "Internal server error";
        /// The method, or a transfer coding, is not one the server knows.
        NOT_IMPLEMENTED = 501 "not-implemented" "Not implemented";
        /// The handler took too long.
        SERVICE_UNAVAILABLE = 503 "service-unavailable" "Service unavailable";
        /// The request's major HTTP version is not one the server speaks.
        VERSION_NOT_SUPPORTED = 505 "http-version-not-supported" "HTTP version not supported";
    }
}

/// One problem, on its way to the client.
///
/// Any error of the application's own becomes one by `?`: status 500, nothing of it shown to the client, the whole
/// chain of causes logged once. (`Problem` is therefore no [`Error`] itself.)
///
/// ```
/// use pw_core::Problem;
/// fn read() -> Result<String, Problem> {
///     Ok(std::fs::read_to_string("/no/such/file")?)
/// }
/// assert_eq!(read().unwrap_err().status(), 500);
/// ```
///
/// An error with a status of its own says so where it is made into a problem, or in one place, a middleware inside
/// [`Recover`](crate::Recover):
///
/// ```
/// use pw_core::problem::Kind;
/// use pw_core::{Exchange, Middleware, Next, Problem};
///
/// #[derive(Debug)]
/// struct OutOfStock;
/// # impl std::fmt::Display for OutOfStock {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str("out of stock") }
/// # }
/// impl std::error::Error for OutOfStock {}
///
/// static OUT_OF_STOCK: Kind = Kind::new(409, "https://shop.example/problems/out-of-stock", "Out of stock");
///
/// struct OwnErrors;
///
/// impl Middleware for OwnErrors {
///     async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
///         next.run(head, cx).await.map_err(|problem| match problem.cause_ref() {
///             Some(cause) if cause.is::<OutOfStock>() => Problem::of(&OUT_OF_STOCK),
///             _ => problem,
///         })
///     }
/// }
/// ```
pub struct Problem {
    kind: &'static Kind,
    extra: Option<Box<Extra>>,
}

#[derive(Default)]
struct Extra {
    detail: Option<Cow<'static, str>>,
    fields: Vec<(HeaderName, http::HeaderValue)>,
    cause: Option<Box<dyn Error + Send + Sync>>,
    close: bool,
}

impl Problem {
    /// A problem of a kind.
    pub const fn of(kind: &'static Kind) -> Self {
        Self { kind, extra: None }
    }

    /// 404, for a resource that is not there.
    pub const fn not_found() -> Self {
        Self::of(&kind::NOT_FOUND)
    }

    /// 400, with a text for the client.
    pub fn bad_request(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::of(&kind::BAD_REQUEST).detail(detail)
    }

    /// 500, with its cause for the log. `?` does the same for every type that implements [`Error`]; this is for those
    /// that do not, such as a string or a boxed error.
    pub fn internal(cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::of(&kind::INTERNAL).cause(cause)
    }

    /// Adds a text about this occurrence. A client sees it when the status is 4xx only.
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.extra().detail = Some(detail.into());
        self
    }

    /// Adds a field to the answer, such as `Retry-After`.
    pub fn field(mut self, name: HeaderName, value: http::HeaderValue) -> Self {
        self.extra().fields.push((name, value));
        self
    }

    /// Adds the cause, for the log.
    pub fn cause(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.extra().cause = Some(cause.into());
        self
    }

    /// The connection can't be used any more after this answer.
    pub fn closing(mut self) -> Self {
        self.extra().close = true;
        self
    }

    /// The kind.
    pub const fn kind(&self) -> &'static Kind {
        self.kind
    }

    /// The status of the answer.
    pub const fn status(&self) -> StatusCode {
        self.kind.status
    }

    /// The cause, if there is one: a middleware may look for an error of the application's own in it, by `downcast_ref`, and
    /// answer with another problem.
    pub fn cause_ref(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.extra.as_ref()?.cause.as_deref()
    }

    /// The same problem as another kind, cause and all.
    pub fn with_kind(mut self, kind: &'static Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Makes `reply` this problem's document, in place of all it held but the request id. The cause, if there is one, is logged
    /// with request id, method and route; never with the path, which may hold what is nobody's business. That there are no more
    /// descriptors is logged once a second.
    pub fn answer(self, head: &impl RequestHead, reply: &mut Reply) {
        if let Some(cause) = self.cause_ref()
            && seldom::is_to_be_told(cause)
        {
            let request_id = reply.request_id().unwrap_or("-");
            let status = self.kind.status.as_u16();
            let (method, route) = (head.method(), head.route().map_or("-", |route| route.name()));
            let cause = Causes(cause);
            tracing::error!(target: "polywire", request_id, method, route, status, %cause, "{}", self.kind.title);
        }
        self.write(reply);
    }

    /// Makes `reply` this problem's document where there is no request to speak of. A cause is not logged.
    pub fn write(self, reply: &mut Reply) {
        let extra = self.extra.map(|extra| *extra).unwrap_or_default();
        reply.clear();
        reply.set_status(self.kind.status);
        for (name, value) in &extra.fields {
            reply.append(name.clone(), value);
        }
        if extra.close {
            reply.close_connection();
        }
        reply.set_type("content-type: application/problem+json\r\n");
        let detail = extra.detail.filter(|_| self.kind.status.is_client_error());
        let document = Document {
            type_uri: self.kind.type_uri,
            title: self.kind.title,
            status: self.kind.status.as_u16(),
            detail,
        };
        serde_json::to_writer(reply.buffer(), &document).expect("strings and a number are always serialisable");
    }

    fn extra(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }
}

#[derive(serde::Serialize)]
struct Document {
    #[serde(rename = "type")]
    type_uri: &'static str,
    title: &'static str,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Cow<'static, str>>,
}

#[diagnostic::do_not_recommend]
impl<E: Error + Send + Sync + 'static> From<E> for Problem {
    fn from(cause: E) -> Self {
        Self::internal(cause)
    }
}

/// What a handler may return in the place of an answer: a [`Problem`], or what becomes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no error a handler can return",
    label = "neither `Problem` nor `std::error::Error`",
    note = "an error is `Problem`, or implements `std::error::Error + Send + Sync + 'static` and is answered with 500",
    note = "for a status of its own: `Problem::of(&KIND)`; for a string, a box or `anyhow::Error`: `.map_err(Problem::internal)?`"
)]
pub trait IntoProblem {
    /// The problem.
    fn into_problem(self) -> Problem;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Problem>> IntoProblem for E {
    fn into_problem(self) -> Problem {
        self.into()
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.status.as_u16(), self.kind.title)?;
        if let Some(extra) = &self.extra {
            if let Some(detail) = &extra.detail {
                write!(f, ": {detail}")?;
            }
            if let Some(cause) = &extra.cause {
                write!(f, " ({})", Causes(&**cause))?;
            }
        }
        Ok(())
    }
}

/// An error and all it came from, on one line.
struct Causes<'a>(&'a (dyn Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut next = self.0.source();
        while let Some(error) = next {
            write!(f, ": {error}")?;
            next = error.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(problem: Problem) -> (Reply, String) {
        let mut reply = Reply::default();
        problem.write(&mut reply);
        let document = String::from_utf8(reply.content().to_vec()).expect("JSON is UTF-8");
        (reply, document)
    }

    #[test]
    fn a_client_sees_the_detail_of_its_own_mistakes_alone() {
        let detailed = |kind: &'static Kind| document(Problem::of(kind).detail("the \"db\" is down").cause("secret")).1;
        assert_eq!(
            detailed(&kind::BAD_REQUEST),
            r#"{"type":"urn:polywire:problem:bad-request","title":"Bad request","status":400,"detail":"the \"db\" is down"}"#
        );
        for kind in kind::ALL.iter().filter(|kind| kind.status().is_server_error()) {
            let said = detailed(kind);
            assert!(!said.contains("db") && !said.contains("secret"), "{said}");
        }
    }

    #[test]
    fn fields_and_the_wish_to_close_go_with_it() {
        let retry = http::HeaderValue::from_static("3");
        let (reply, _) = document(
            Problem::of(&kind::SERVICE_UNAVAILABLE)
                .field(http::header::RETRY_AFTER, retry)
                .closing(),
        );
        let fields: Vec<_> = reply.fields().collect();
        assert_eq!(
            fields,
            [
                ("retry-after", &b"3"[..]),
                ("content-type", b"application/problem+json")
            ]
        );
        assert!(reply.closes_connection());
    }

    #[test]
    fn no_two_kinds_have_one_type() {
        let mut types: Vec<_> = kind::ALL.iter().map(|kind| kind.type_uri()).collect();
        types.sort_unstable();
        types.dedup();
        assert_eq!(types.len(), kind::ALL.len());
    }

    #[test]
    fn its_own_text_has_the_whole_chain_of_causes() {
        #[derive(Debug)]
        struct Outer(std::num::ParseIntError);
        impl fmt::Display for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("no port")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let problem = Problem::from(Outer("x".parse::<u16>().unwrap_err()));
        assert_eq!(
            format!("{problem:?}"),
            "500 Internal server error (no port: invalid digit found in string)"
        );
    }
}
