//! What a handler may return.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::problem::IntoProblem;
use crate::reply::is_framing;
use crate::{FieldValue, Problem, Reply, RequestHead};

/// An answer, written into the reply.
///
/// It takes the reply alone, not the exchange, so that an answer may borrow from the body it was made of.
///
/// ```
/// use pw_core::{FieldValue, Problem, Reply, Respond};
/// struct Csv(String);
/// impl Respond for Csv {
///     fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
///         reply.insert(http::header::CONTENT_TYPE, FieldValue::from_static("text/csv; charset=utf-8"));
///         reply.set_content(self.0);
///         Ok(())
///     }
/// }
/// ```
///
/// Wrong: setting the status of an error here. Return `Err(Problem)`, so that every error of the application has one
/// shape.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no answer a handler can return",
    label = "not `Respond`",
    note = "answers are `Json`, `Html`, text, bytes, `StatusCode`, `Redirect`, `()`, `Option` and `Result` of those, \
            `(StatusCode, body)`, `(fields, body)`, `(StatusCode, fields, body)`, and what implements `Respond`"
)]
pub trait Respond {
    /// Writes the answer.
    ///
    /// # Errors
    /// What the client gets in its place.
    fn respond(self, reply: &mut Reply) -> Result<(), Problem>;

    /// Writes the answer to this request: what generated code calls. Only an answer that differs with the request's head, its `Accept`
    /// for one, has to say how; others leave it, and the head is not looked at.
    ///
    /// What holds another answer hands the head on, as `Option` and `Result` do. Wrong: a wrapper that has
    /// [`respond`](Self::respond) alone. It works, and what it holds never sees a head.
    ///
    /// # Errors
    /// What the client gets in its place.
    #[inline]
    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem>
    where
        Self: Sized,
    {
        let _ = head;
        self.respond(reply)
    }
}

const TEXT: &str = "content-type: text/plain; charset=utf-8\r\n";
const HTML: &str = "content-type: text/html; charset=utf-8\r\n";
const BYTES: &str = "content-type: application/octet-stream\r\n";

/// Leaves the reply as it is: 200 without content if nobody wrote to it.
impl Respond for () {
    fn respond(self, _: &mut Reply) -> Result<(), Problem> {
        Ok(())
    }
}

/// An empty answer with this status.
impl Respond for StatusCode {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_status(self);
        Ok(())
    }
}

impl Respond for Problem {
    fn respond(self, _: &mut Reply) -> Result<(), Problem> {
        Err(self)
    }
}

/// `None` is 404.
impl<R: Respond> Respond for Option<R> {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        self.ok_or_else(Problem::not_found)?.respond(reply)
    }

    #[inline]
    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        self.ok_or_else(Problem::not_found)?.respond_to(head, reply)
    }
}

/// Any error of the application's own is 500, its cause logged.
impl<R: Respond, E: IntoProblem> Respond for Result<R, E> {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        self.map_err(IntoProblem::into_problem)?.respond(reply)
    }

    #[inline]
    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        self.map_err(IntoProblem::into_problem)?.respond_to(head, reply)
    }
}

/// `text/plain; charset=utf-8`, copied.
impl Respond for &str {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_type(TEXT);
        reply.buffer().extend_from_slice(self.as_bytes());
        Ok(())
    }
}

/// `text/plain; charset=utf-8`.
impl Respond for String {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        self.as_str().respond(reply)
    }
}

/// `text/plain; charset=utf-8`.
impl Respond for Cow<'_, str> {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        (*self).respond(reply)
    }
}

/// `application/octet-stream`, copied.
impl Respond for &[u8] {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_type(BYTES);
        reply.buffer().extend_from_slice(self);
        Ok(())
    }
}

/// `application/octet-stream`, taken over.
impl Respond for Vec<u8> {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        Bytes::from(self).respond(reply)
    }
}

/// `application/octet-stream`, held by reference.
impl Respond for Bytes {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_type(BYTES);
        reply.set_content(self);
        Ok(())
    }
}

/// `text/html; charset=utf-8`. What it holds must be escaped already, by a template engine for one.
#[derive(Clone, Copy, Debug)]
pub struct Html<T>(pub T);

impl<T: AsRef<str>> Respond for Html<T> {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_type(HTML);
        reply.buffer().extend_from_slice(self.0.as_ref().as_bytes());
        Ok(())
    }
}

/// A redirect. The location is sent as it is: check what a client gave you before you send others there.
#[derive(Clone, Debug)]
pub struct Redirect {
    status: StatusCode,
    location: Cow<'static, str>,
}

impl Redirect {
    /// 303: look there with GET. What follows a form that was posted.
    pub fn see_other(location: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status: StatusCode::SEE_OTHER,
            location: location.into(),
        }
    }

    /// 307: there for now, with the same method and body.
    pub fn temporary(location: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status: StatusCode::TEMPORARY_REDIRECT,
            location: location.into(),
        }
    }

    /// 308: there from now on, with the same method and body.
    pub fn permanent(location: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status: StatusCode::PERMANENT_REDIRECT,
            location: location.into(),
        }
    }
}

impl Respond for Redirect {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_status(self.status);
        reply.insert(header::LOCATION, FieldValue::new(&self.location)?);
        Ok(())
    }
}

/// The body's answer with this status, unless the body has one of its own: a part of a file stays 206, and a redirect one.
impl<R: Respond> Respond for (StatusCode, R) {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_status(self.0);
        self.1.respond(reply)
    }

    #[inline]
    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        reply.set_status(self.0);
        self.1.respond_to(head, reply)
    }
}

/// The body's answer with these fields, which replace the body's own of the same name.
impl<F: Fields, R: Respond> Respond for (F, R) {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        self.1.respond(reply)?;
        self.0.write(reply)
    }

    #[inline]
    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        self.1.respond_to(head, reply)?;
        self.0.write(reply)
    }
}

/// The body's answer with this status, unless the body has one of its own, and these fields, which replace the body's own of the same
/// name.
impl<F: Fields, R: Respond> Respond for (StatusCode, F, R) {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        (self.0, (self.1, self.2)).respond(reply)
    }

    #[inline]
    fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
        (self.0, (self.1, self.2)).respond_to(head, reply)
    }
}

/// Fields of an answer: `[(HeaderName, HeaderValue); N]`, `[(HeaderName, &str); N]`, `[(HeaderName, String); N]` or a
/// [`HeaderMap`].
///
/// Wrong: `content-length`, `connection` or `date` among them. They are the transport's, see [`Reply`].
pub trait Fields {
    /// Writes the fields. Those of one name replace what stood there under it.
    ///
    /// # Errors
    /// 500 for text that is no field value.
    fn write(self, reply: &mut Reply) -> Result<(), Problem>;
}

/// Something a field value can be made of.
trait Value {
    fn value(&self) -> Result<FieldValue<'_>, Problem>;
}

impl Value for HeaderValue {
    fn value(&self) -> Result<FieldValue<'_>, Problem> {
        Ok(self.into())
    }
}

impl Value for &str {
    fn value(&self) -> Result<FieldValue<'_>, Problem> {
        Ok(FieldValue::new(self)?)
    }
}

impl Value for String {
    fn value(&self) -> Result<FieldValue<'_>, Problem> {
        Ok(FieldValue::new(self)?)
    }
}

fn write_all<V: Value>(fields: &[(HeaderName, V)], reply: &mut Reply) -> Result<(), Problem> {
    for (name, _) in fields {
        reply.remove(name);
    }
    for (name, value) in fields {
        reply.append(name.clone(), value.value()?);
    }
    Ok(())
}

impl<const N: usize> Fields for [(HeaderName, HeaderValue); N] {
    fn write(self, reply: &mut Reply) -> Result<(), Problem> {
        write_all(&self, reply)
    }
}

impl<const N: usize> Fields for [(HeaderName, &str); N] {
    fn write(self, reply: &mut Reply) -> Result<(), Problem> {
        write_all(&self, reply)
    }
}

impl<const N: usize> Fields for [(HeaderName, String); N] {
    fn write(self, reply: &mut Reply) -> Result<(), Problem> {
        write_all(&self, reply)
    }
}

/// A map may be that of another server's answer: what it says of that one's connection and length is left out.
impl Fields for HeaderMap {
    fn write(self, reply: &mut Reply) -> Result<(), Problem> {
        for name in self.keys() {
            reply.remove(name);
        }
        for (name, value) in self.iter().filter(|(name, _)| !is_framing(name)) {
            reply.append(name.clone(), value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeadBuffer, Span, Version};

    /// Answers with the method, where it is told.
    struct Method;

    impl Respond for Method {
        fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
            "no head".respond(reply)
        }

        fn respond_to(self, head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
            head.method().respond(reply)
        }
    }

    #[test]
    fn what_holds_an_answer_hands_the_head_on() {
        type Answer = fn(&HeadBuffer, &mut Reply) -> Result<(), Problem>;
        let mut head = HeadBuffer::default();
        head.start(
            Version::Http11,
            "GET/",
            Span::new(0, 3),
            Span::new(3, 4),
            Span::default(),
        );
        let content = |answer: Answer| {
            let mut reply = Reply::default();
            answer(&head, &mut reply).expect("it is an answer");
            String::from_utf8(reply.content().to_vec()).expect("it is text")
        };
        let answers: [Answer; 6] = [
            |head, reply| Method.respond_to(head, reply),
            |head, reply| Some(Method).respond_to(head, reply),
            |head, reply| Ok::<_, Problem>(Method).respond_to(head, reply),
            |head, reply| (StatusCode::OK, Method).respond_to(head, reply),
            |head, reply| (StatusCode::OK, [(header::ETAG, "\"1\"")], Some(Method)).respond_to(head, reply),
            |head, reply| ([(header::ETAG, "\"1\"")], Method).respond_to(head, reply),
        ];
        for answer in answers {
            assert_eq!(content(answer), "GET");
        }
        assert_eq!(content(|head, reply| "as ever".respond_to(head, reply)), "as ever");
        assert_eq!(content(|_, reply| Some(Method).respond(reply)), "no head");
    }

    #[test]
    fn an_answers_own_status_is_not_another() {
        let status = |answer: fn(&mut Reply) -> Result<(), Problem>| {
            let mut reply = Reply::default();
            answer(&mut reply).expect("it is an answer");
            let fields: Vec<_> = reply.fields().map(|(name, _)| name.to_owned()).collect();
            (reply.status().as_u16(), fields.join(" "))
        };
        fn tag() -> [(HeaderName, &'static str); 1] {
            [(header::ETAG, "\"1\"")]
        }
        assert_eq!(status(|reply| (StatusCode::CREATED, "text").respond(reply)).0, 201);
        assert_eq!(
            status(|reply| (StatusCode::CREATED, tag(), "text").respond(reply)),
            (201, "content-type etag".to_owned())
        );
        assert_eq!(
            status(|reply| (tag(), "text").respond(reply)),
            (200, "content-type etag".to_owned())
        );
        assert_eq!(
            status(|reply| (StatusCode::OK, tag(), StatusCode::PARTIAL_CONTENT).respond(reply)),
            (206, "etag".to_owned())
        );
        assert_eq!(
            status(|reply| (StatusCode::OK, Redirect::see_other("/")).respond(reply)),
            (303, "location".to_owned())
        );
    }

    #[test]
    fn another_servers_fields_say_nothing_of_this_ones_framing() {
        let mut fields = HeaderMap::new();
        for name in [
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::CONNECTION,
            header::DATE,
            header::ETAG,
        ] {
            fields.insert(name, HeaderValue::from_static("x"));
        }
        let mut reply = Reply::default();
        (StatusCode::OK, fields, "proxied")
            .respond(&mut reply)
            .expect("the fields are valid");
        let left: Vec<_> = reply.fields().map(|(name, _)| name).collect();
        assert_eq!(left, ["content-type", "etag"]);
    }
}
