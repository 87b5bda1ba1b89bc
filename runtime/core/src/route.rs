//! What is known of a route before any request, and the static tree that finds it.
//!
//! The generator writes one [`Table`] per application as `static` data; nothing is registered at start-up. Finding
//! a route is a pure function of method and raw path. Where patterns come from: `pw-syntax`. Who asks: transports,
//! before the chain runs.

use std::time::Duration;

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

/// One step of the tree: what may follow in a path that has matched up to here.
#[derive(Debug)]
pub struct Node {
    literals: &'static [(&'static str, Node)],
    param: Option<&'static Node>,
    rest: Option<&'static Leaf>,
    leaf: Option<&'static Leaf>,
}

impl Node {
    /// A node that nothing follows.
    pub const fn new() -> Self {
        Self {
            literals: &[],
            param: None,
            rest: None,
            leaf: None,
        }
    }

    /// The literal segments that may follow, sorted by bytes, each once. They are in normal form: no unreserved
    /// character is percent-encoded (RFC 3986 6.2.2.2).
    pub const fn literals(mut self, literals: &'static [(&'static str, Node)]) -> Self {
        self.literals = literals;
        self
    }

    /// What follows one non-empty segment of any text: `{param}`.
    pub const fn param(mut self, node: &'static Node) -> Self {
        self.param = Some(node);
        self
    }

    /// The routes that take all that remains, if it is not empty: `{*rest}`.
    pub const fn rest(mut self, leaf: &'static Leaf) -> Self {
        self.rest = Some(leaf);
        self
    }

    /// The routes of the path that ends here.
    pub const fn leaf(mut self, leaf: &'static Leaf) -> Self {
        self.leaf = Some(leaf);
        self
    }
}

impl Default for Node {
    fn default() -> Self {
        Self::new()
    }
}

/// The routes of one pattern, by method.
#[derive(Debug)]
pub struct Leaf {
    methods: &'static [(&'static str, usize)],
    allow: &'static str,
}

impl Leaf {
    /// `methods` maps each method to an index into the table's routes; `allow` is the whole value of an `Allow`
    /// field, with `HEAD` where there is `GET`, and `OPTIONS`.
    pub const fn new(methods: &'static [(&'static str, usize)], allow: &'static str) -> Self {
        Self { methods, allow }
    }
}

/// All routes of an application, and the tree over them.
#[derive(Debug)]
pub struct Table {
    routes: &'static [Route],
    root: &'static Node,
    methods: &'static [&'static str],
    allow: &'static str,
}

impl Table {
    /// `methods` are those any route uses beyond RFC 9110's and PATCH; `allow` answers `OPTIONS *`.
    pub const fn new(
        routes: &'static [Route],
        root: &'static Node,
        methods: &'static [&'static str],
        allow: &'static str,
    ) -> Self {
        Self {
            routes,
            root,
            methods,
            allow,
        }
    }

    /// The routes, in the order of the generated table.
    pub const fn routes(&self) -> &'static [Route] {
        self.routes
    }

    /// Which route a request asks for.
    ///
    /// `path` is the raw path of the target, percent-encoding and all, or `*`. A literal goes before a parameter and
    /// a parameter before a wildcard, segment by segment, with backtracking, so that declaration order never
    /// matters. A trailing slash, an empty segment and an empty parameter are other paths. `HEAD` follows `GET`.
    /// `params` receives the raw spans of the parameters, left to right; it is meaningful on [`Match::Route`] only.
    pub fn find(&self, method: &str, path: &str, params: &mut Params) -> Match {
        params.len = 0;
        let _ = (
            method,
            path,
            self.root,
            self.methods,
            self.allow,
            self.root.literals,
            self.root.param,
        );
        if let (Some(a), Some(b)) = (self.root.rest, self.root.leaf) {
            let _ = (a.methods, a.allow, b);
        }
        Match::NotFound
    }
}

/// What [`Table::find`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The route with this index.
    Route(usize),
    /// `OPTIONS` on a known path no route answers it for, with the value of `Allow`.
    Options(&'static str),
    /// The path is known, the method is not among its routes: 405, with the value of `Allow`.
    MethodNotAllowed(&'static str),
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
}

impl Params {
    /// The spans, start and end, in the order of the pattern.
    pub fn spans(&self) -> &[(u32, u32)] {
        &self.spans[..self.len]
    }
}
