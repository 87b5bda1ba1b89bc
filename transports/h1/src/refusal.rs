//! What is answered where there is no request to hand on. Every refusal ends the connection.

use pw_core::problem::{Kind, kind};
use pw_core::{Problem, Reply, Version};

use crate::encode::{Answer, Content, write_head};

/// Why bytes are no request this server takes, and what the client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of problem.
    pub kind: &'static Kind,
    /// What is wrong, for the client.
    pub detail: &'static str,
    /// The request was a `HEAD`: its answer has no content. A transport sets it for a refused body; [`HeadParser`]
    /// does so itself.
    ///
    /// [`HeadParser`]: crate::HeadParser
    pub to_head: bool,
}

impl Refusal {
    /// A refusal of a kind.
    #[cold]
    pub const fn new(kind: &'static Kind, detail: &'static str) -> Self {
        Self {
            kind,
            detail,
            to_head: false,
        }
    }

    /// 400.
    #[cold]
    pub(crate) const fn bad(detail: &'static str) -> Self {
        Self::new(&kind::BAD_REQUEST, detail)
    }

    /// 400: the client shut its side within a head.
    #[cold]
    pub const fn cut_short() -> Self {
        Self::bad("the head of the request was cut short")
    }

    /// 408: the rest of a head did not come in time.
    #[cold]
    pub const fn too_slow() -> Self {
        Self::new(&kind::REQUEST_TIMEOUT, "the head of the request came too slowly")
    }

    /// The problem, where a request's own answer tells of it.
    #[cold]
    pub fn problem(&self) -> Problem {
        Problem::of(self.kind).detail(self.detail)
    }

    /// Appends the whole answer: head and problem document. After it the connection closes.
    pub fn write(&self, out: &mut Vec<u8>, date: &[u8; 29]) {
        let mut reply = Reply::default();
        self.problem().closing().write(&mut reply);
        let answer = Answer {
            version: Version::Http11,
            to_head: self.to_head,
            keep_alive: false,
            content: Content::Sized(reply.content().len() as u64),
        };
        write_head(out, &reply, &answer, date);
        if !self.to_head {
            out.extend_from_slice(reply.content());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &[u8; 29] = b"Sun, 06 Nov 1994 08:49:37 GMT";

    fn written(refusal: Refusal) -> String {
        let mut out = Vec::new();
        refusal.write(&mut out, DATE);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_refusal_is_a_problem_document_and_closes() {
        assert_eq!(
            written(Refusal::bad("the field name is empty")),
            "HTTP/1.1 400 Bad Request\r\n\
             content-type: application/problem+json\r\n\
             connection: close\r\n\
             content-length: 113\r\n\
             date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n\
             {\"type\":\"urn:polywire:problem:bad-request\",\"title\":\"Bad request\",\"status\":400,\"detail\":\"the field name is empty\"}"
        );
    }

    #[test]
    fn an_answer_to_head_has_no_content() {
        let refusal = Refusal {
            to_head: true,
            ..Refusal::bad("the field name is empty")
        };
        let text = written(refusal);
        assert!(text.ends_with("GMT\r\n\r\n"), "{text}");
    }
}
