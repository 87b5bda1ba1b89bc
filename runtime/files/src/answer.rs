//! What a client gets of a resource: coding, preconditions, ranges, in this order.

use std::ops::Range;
use std::sync::Arc;

use http::header::{CONTENT_RANGE, CONTENT_TYPE, VARY};
use http::{HeaderValue, StatusCode};
use pw_core::problem::Kind;
use pw_core::{ContentStream, FieldValue, FilePart, Problem, Redirect, Reply, RequestHead, Respond};

use crate::coding;
use crate::condition::{self, Verdict};
use crate::multipart::{Boundary, FileParts};
use crate::range::{self, Wanted};
use crate::resource::{Representation, Resource, Store};

/// 406: the client takes none of the codings that there are, not even none.
static NOT_ACCEPTABLE: Kind = Kind::new(406, "urn:polywire:problem:not-acceptable", "Not acceptable");
/// 412: the file is not what the client takes it for.
static PRECONDITION_FAILED: Kind = Kind::new(412, "urn:polywire:problem:precondition-failed", "Precondition failed");
/// 416: none of the ranges is in the file.
static RANGE_NOT_SATISFIABLE: Kind = Kind::new(
    416,
    "urn:polywire:problem:range-not-satisfiable",
    "Range not satisfiable",
);

/// A file on its way to the client: all of it, parts of it, or that the client has it already. It answers itself.
#[derive(Debug)]
pub struct FileAnswer(What);

#[derive(Debug)]
enum What {
    Content {
        resource: Arc<Resource>,
        /// The representation, as [`Resource::representation`] takes it.
        at: Option<usize>,
        share: Share,
    },
    Redirect(Redirect, String),
}

/// How much of a representation.
#[derive(Debug)]
enum Share {
    Whole,
    Part(Range<u64>),
    Parts(Vec<Range<u64>>),
    /// The client has it.
    Nothing,
}

impl FileAnswer {
    /// To where a folder is, its slash included. Caches keep it as long as they would a file.
    pub(crate) fn redirect(location: String, cache_control: &str) -> Self {
        Self(What::Redirect(Redirect::permanent(location), cache_control.to_owned()))
    }

    /// What the client gets of a resource.
    ///
    /// # Errors
    /// 406, 412 and 416.
    pub(crate) fn of(resource: Arc<Resource>, head: &impl RequestHead) -> Result<Self, Problem> {
        let at = match resource.negotiated {
            true => pick(&resource, head)?,
            false => None,
        };
        let representation = resource.representation(at);
        let validators = representation.validators();
        let share = match condition::verdict(head, validators) {
            Verdict::Failed => return Err(Problem::of(&PRECONDITION_FAILED)),
            Verdict::NotModified => Share::Nothing,
            Verdict::Proceed => match head.field("range") {
                // Other methods have no ranges (RFC 9110 14.2).
                Some(field)
                    if head.method() == "GET" && condition::range_counts(head.field("if-range"), validators) =>
                {
                    share(field, representation.length)?
                }
                _ => Share::Whole,
            },
        };
        Ok(Self(What::Content { resource, at, share }))
    }
}

/// The representation in the coding that suits the client best.
fn pick(resource: &Resource, head: &impl RequestHead) -> Result<Option<usize>, Problem> {
    coding::pick(
        head.values("accept-encoding"),
        resource.original.length,
        &resource.codings,
    )
    .ok_or_else(|| Problem::of(&NOT_ACCEPTABLE).field(VARY, HeaderValue::from_static("accept-encoding")))
}

fn share(range: &[u8], length: u64) -> Result<Share, Problem> {
    match range::wanted(range, length) {
        Wanted::Whole => Ok(Share::Whole),
        Wanted::Part(range) => Ok(Share::Part(range)),
        Wanted::Parts(ranges) => Ok(Share::Parts(ranges)),
        Wanted::Nothing => {
            let all = HeaderValue::try_from(format!("bytes */{length}")).map_err(Problem::internal)?;
            Err(Problem::of(&RANGE_NOT_SATISFIABLE).field(CONTENT_RANGE, all))
        }
    }
}

impl Respond for FileAnswer {
    fn respond(self, reply: &mut Reply) -> Result<(), Problem> {
        let (resource, at, share) = match self.0 {
            What::Content { resource, at, share } => (resource, at, share),
            What::Redirect(redirect, cache_control) => {
                redirect.respond(reply)?;
                reply.insert(http::header::CACHE_CONTROL, FieldValue::new(&cache_control)?);
                return Ok(());
            }
        };
        let of = resource.representation(at);
        match share {
            Share::Whole => {
                reply.append_lines(of.lines());
                match &of.store {
                    Store::Memory(bytes) => reply.set_content(bytes.clone()),
                    Store::File(file) => reply.set_file(FilePart::whole(file.clone())),
                }
            }
            Share::Part(range) => {
                reply.set_status(StatusCode::PARTIAL_CONTENT);
                reply.append_lines(of.lines());
                let (first, last, all) = (range.start, range.end - 1, of.length);
                let place = format!("bytes {first}-{last}/{all}");
                reply.insert(CONTENT_RANGE, FieldValue::new(&place)?);
                match &of.store {
                    Store::Memory(bytes) => reply.set_content(bytes.slice(range.start as usize..range.end as usize)),
                    Store::File(file) => {
                        let length = range.end - range.start;
                        reply.set_file(FilePart::new(file.clone(), range.start, length));
                    }
                }
            }
            Share::Parts(ranges) => parts(of, ranges, reply)?,
            Share::Nothing => {
                reply.set_status(StatusCode::NOT_MODIFIED);
                reply.append_lines(of.lines_unmodified());
                reply.buffer().clear();
            }
        }
        Ok(())
    }
}

fn parts(of: &Representation, ranges: Vec<Range<u64>>, reply: &mut Reply) -> Result<(), Problem> {
    let boundary = Boundary::new();
    reply.set_status(StatusCode::PARTIAL_CONTENT);
    reply.insert(CONTENT_TYPE, FieldValue::new(&boundary.media_type())?);
    reply.append_lines(of.lines_of_parts());
    match &of.store {
        Store::Memory(bytes) => {
            let buffer = reply.buffer();
            buffer.clear();
            boundary.write(of, bytes, &ranges, buffer);
        }
        Store::File(file) => {
            let parts = FileParts::new(&boundary, of, file.clone(), ranges);
            reply.set_stream(ContentStream::new(parts));
        }
    }
    Ok(())
}
