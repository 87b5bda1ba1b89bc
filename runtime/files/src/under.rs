//! Files as a middleware: in front of the routes, below a prefix.

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
        assert!(prefix.starts_with('/'), "the prefix `{prefix}` must begin with a slash");
        Self {
            files,
            prefix: prefix.trim_end_matches('/').into(),
        }
    }

    /// `None`: it is for the rest of the chain.
    fn find(&self, head: &impl RequestHead) -> Result<Option<FileAnswer>, Problem> {
        if !matches!(head.method(), "GET" | "HEAD") {
            return Ok(None);
        }
        let Some(rest) = name::below(head.path(), &self.prefix) else {
            return Ok(None);
        };
        let Some(path) = rest.strip_prefix('/') else {
            return self.files.to_slash(head, "");
        };
        if !path.contains('%') {
            return self.files.look(head, path);
        }
        let mut decoded = Vec::new();
        // What can't be decoded is the router's to refuse.
        match percent::decode_path(path.as_bytes(), &mut decoded) {
            Ok(()) => match std::str::from_utf8(&decoded) {
                Ok(path) => self.files.look(head, path),
                Err(_) => Ok(None),
            },
            Err(_) => Ok(None),
        }
    }
}

impl Middleware for Under {
    async fn around<E: Exchange, N: Next<E>>(&self, head: &E::Head, cx: &mut E, next: N) -> Result<(), Problem> {
        match self.find(head)? {
            Some(answer) => answer.respond(cx.reply()),
            None => next.run(head, cx).await,
        }
    }
}
