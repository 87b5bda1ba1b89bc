//! Files as a middleware: in front of the routes, below a prefix.

use std::borrow::Cow;

use pw_core::{Exchange, Middleware, Next, Problem, RequestHead, Respond, percent};

use crate::answer::FileAnswer;
use crate::files::Files;
use crate::name;

/// A folder's files below a prefix, as [`Files::under`] makes it.
#[derive(Debug)]
pub struct Under {
    files: Files,
    /// Without a slash at its end.
    prefix: Box<str>,
}

impl Under {
    pub(crate) fn new(files: Files, prefix: &str) -> Self {
        Self {
            files,
            prefix: self::prefix(prefix),
        }
    }

    /// `None`: it is for the rest of the chain.
    fn find(&self, head: &impl RequestHead) -> Result<Option<FileAnswer>, Problem> {
        let Some(rest) = asked(head, &self.prefix) else {
            return Ok(None);
        };
        match rest.strip_prefix('/') {
            Some(path) => match self.files.look(head, path)? {
                // A route is more than a path that could be anything.
                None if head.route().is_none() => self.files.fall_back(head, path),
                found => Ok(found),
            },
            None => self.files.to_slash(head, ""),
        }
    }
}

/// A prefix as it is compared: without a slash at its end.
///
/// # Panics
/// It does not begin with one.
pub(crate) fn prefix(prefix: &str) -> Box<str> {
    assert!(prefix.starts_with('/'), "the prefix `{prefix}` must begin with a slash");
    prefix.trim_end_matches('/').into()
}

/// What follows the prefix in the path of a GET or HEAD, decoded: nothing, or what begins with a slash. `None` where it is not for
/// files at all, or can't be decoded, which is the router's to refuse.
pub(crate) fn asked<'a>(head: &'a impl RequestHead, prefix: &str) -> Option<Cow<'a, str>> {
    if !matches!(head.method(), "GET" | "HEAD") {
        return None;
    }
    let rest = name::below(head.path(), prefix)?;
    if !rest.contains('%') {
        return Some(Cow::Borrowed(rest));
    }
    let mut decoded = Vec::new();
    percent::decode_path(rest.as_bytes(), &mut decoded).ok()?;
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

impl Middleware for Under {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        match self.find(head)? {
            Some(answer) => answer.respond(cx.reply()),
            None => next.run(head, cx).await,
        }
    }
}
