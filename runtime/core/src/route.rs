//! What is known of a route before any request, and the static tree that finds it.
//!
//! The generator writes one [`Table`] per application as `static` data; nothing is registered at start-up. Finding
//! a route is a pure function of method and raw path. Where patterns come from: `pw-syntax`. Who asks: transports,
//! before the chain runs. The walk itself: `search`.

mod method;
mod node;
mod search;

use std::time::Duration;

use method::Wanted;
pub use method::{Allow, MAX_METHODS};
pub use node::{Leaf, Node};

/// The most parameters one pattern may have. The generator refuses more.
pub const MAX_PARAMS: usize = 16;

/// One route, as its attribute declares it.
#[derive(Debug)]
pub struct Route {
    name: &'static str,
    method: &'static str,
    pattern: &'static str,
    handler: &'static str,
    params: &'static [&'static str],
    body_limit: Option<usize>,
    timeout: Option<Duration>,
}

impl Route {
    /// A route without parameters or options. `handler` is the path of its function, for logs.
    pub const fn new(name: &'static str, method: &'static str, pattern: &'static str, handler: &'static str) -> Self {
        Self {
            name,
            method,
            pattern,
            handler,
            params: &[],
            body_limit: None,
            timeout: None,
        }
    }

    /// The names of the pattern's parameters, left to right, at most [`MAX_PARAMS`].
    pub const fn with_params(mut self, params: &'static [&'static str]) -> Self {
        self.params = params;
        self
    }

    /// The most bytes a request body on this route may have, in place of the server's default.
    pub const fn with_body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = Some(bytes);
        self
    }

    /// How long the handler may take before the client gets 503.
    pub const fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The route's name, unique in its application.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The method, in the case it has on the wire.
    pub const fn method(&self) -> &'static str {
        self.method
    }

    /// The pattern as written, such as `/users/{id}`.
    pub const fn pattern(&self) -> &'static str {
        self.pattern
    }

    /// The path of the handler function, such as `helloworld::show_user`.
    pub const fn handler(&self) -> &'static str {
        self.handler
    }

    /// The names of the parameters, left to right.
    pub const fn params(&self) -> &'static [&'static str] {
        self.params
    }

    /// The route's own body limit in bytes, if it has one.
    pub const fn body_limit(&self) -> Option<usize> {
        self.body_limit
    }

    /// The route's own handler timeout, if it has one.
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }
}

/// All routes of an application, and the tree over them.
#[derive(Debug)]
pub struct Table {
    routes: &'static [Route],
    root: &'static Node,
    methods: &'static [&'static str],
}

impl Table {
    /// `methods` are those any route uses beyond RFC 9110's eight and PATCH, each once.
    ///
    /// # Panics
    /// There are more than [`MAX_METHODS`] of them; in a `static`, that is a build error.
    pub const fn new(routes: &'static [Route], root: &'static Node, methods: &'static [&'static str]) -> Self {
        assert!(
            methods.len() <= MAX_METHODS,
            "too many methods of the application's own"
        );
        Self { routes, root, methods }
    }

    /// The routes, in the order of the generated table.
    pub const fn routes(&self) -> &'static [Route] {
        self.routes
    }

    /// Which route a request asks for.
    ///
    /// `path` is the raw path of the target, percent-encoding and all, or `*`. It is matched segment by segment: a
    /// literal goes before a parameter and a parameter before a wildcard, and where one leads nowhere the next is
    /// tried, so that declaration order never matters. An escaped unreserved character equals the character
    /// (RFC 3986 6.2.2.2); any other escape is data. A trailing slash, an empty segment and an empty parameter are
    /// other paths. `params` receives the raw spans of the parameters, left to right; there are none unless a route is
    /// found.
    ///
    /// Method and path decide together: of all patterns that have the path, the most specific one that has the method
    /// answers. So `GET /users/me` reaches `GET /users/{id}` where `/users/me` has `POST` only, and `OPTIONS /{*path}`
    /// takes every preflight. `HEAD` follows `GET` in the same pattern. `Allow` is the union over all patterns that have
    /// the path, which is what the client may in truth send.
    ///
    /// It costs no allocation, and at most one visit to each node of the tree whose pattern the path has followed so far
    /// (a step takes a whole segment, so no node is reached twice): a hostile path can't make it try more than there are
    /// patterns, and stack depth is bounded by the longest pattern, not by the path.
    #[inline]
    pub fn find(&self, method: impl AsRef<[u8]>, path: impl AsRef<[u8]>, params: &mut Params) -> Match {
        let (wanted, path) = (Wanted::new(method.as_ref()), path.as_ref());
        match search::first(self.root, path, &wanted, params) {
            Some(at) => Match::Route(at),
            None => {
                params.clear();
                self.refuse(&wanted, path)
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn refuse(&self, wanted: &Wanted<'_>, path: &[u8]) -> Match {
        let mut own = self.methods.iter();
        if !wanted.is_known() && !own.any(|method| method.as_bytes() == wanted.name()) {
            return Match::NotImplemented;
        }
        let mut allow = Allow::new(self.methods);
        if wanted.is_options() && path == b"*" {
            for route in self.routes {
                allow.add(route.method);
            }
            return Match::Options(allow);
        }
        search::each(self.root, path, &mut |leaf| {
            for (method, _) in leaf.methods() {
                allow.add(method);
            }
        });
        match allow.is_empty() {
            true => Match::NotFound,
            false if wanted.is_options() => Match::Options(allow),
            false => Match::MethodNotAllowed(allow),
        }
    }
}

/// What [`Table::find`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The route with this index.
    Route(usize),
    /// `OPTIONS` on a known path no route answers it for, with the value of `Allow`.
    Options(Allow),
    /// The path is known, the method is not among its routes: 405, with the value of `Allow`.
    MethodNotAllowed(Allow),
    /// A method this server does not know at all: 501.
    NotImplemented,
    /// No route has this path: 404.
    NotFound,
}

/// Where a path's parameters are: byte spans into the raw path, left to right.
#[derive(Clone, Copy, Debug, Default)]
pub struct Params {
    spans: [(u32, u32); MAX_PARAMS],
    len: usize,
    /// There may be an escape in one of them.
    escaped: bool,
}

impl Params {
    fn clear(&mut self) {
        (self.len, self.escaped) = (0, false);
    }

    /// The spans, start and end, in the order of the pattern.
    pub fn spans(&self) -> &[(u32, u32)] {
        &self.spans[..self.len]
    }

    /// Whether there may be an escape in one of them; if not, there is none.
    pub(crate) fn may_be_escaped(&self) -> bool {
        self.escaped
    }

    /// Puts the parameter number `at` in its place; what stands behind it is from an attempt that failed.
    fn set(&mut self, at: usize, start: usize, end: usize) {
        if let Some(span) = self.spans.get_mut(at) {
            *span = (start as u32, end as u32);
            self.len = at + 1;
        }
    }
}
