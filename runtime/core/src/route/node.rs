//! The static tree: what the generator writes, one segment of a path per step.
//!
//! Everything here is made in constants. What walks it: `search`.

use super::method::{self, GET, HEAD, KNOWN, Wanted};
use super::search::key;

/// One step of the tree: what may follow in a path that has matched up to here.
///
/// ```
/// use pw_core::route::{Leaf, Node};
/// // GET /, GET and POST /users, GET /users/{id}
/// static ROOT: Node = Node::new()
///     .slash(&Leaf::new(&[("GET", 0)]))
///     .literals(&[Node::literal("users")
///         .leaf(&Leaf::new(&[("GET", 1), ("POST", 2)]))
///         .param(&Node::new().leaf(&Leaf::new(&[("GET", 3)])))]);
/// ```
#[derive(Debug)]
pub struct Node {
    pub(super) text: &'static str,
    /// The first eight bytes of the text and the slash behind it, so that finding a literal compares numbers.
    pub(super) key: u64,
    /// Which bytes of the key count.
    pub(super) mask: u64,
    pub(super) literals: &'static [Node],
    pub(super) param: Option<&'static Node>,
    pub(super) rest: Option<&'static Leaf>,
    pub(super) leaf: Option<&'static Leaf>,
    pub(super) slash: Option<&'static Leaf>,
}

impl Node {
    /// The root of a tree, or what follows a parameter.
    pub const fn new() -> Self {
        Self::literal("")
    }

    /// What follows a literal: one segment or, where nothing branches off between them, several joined by slashes
    /// (`api/v1`). It is in normal form: no unreserved character is percent-encoded (RFC 3986 6.2.2.2), and the digits of
    /// an escape are in upper case.
    pub const fn literal(text: &'static str) -> Self {
        let (key, mask) = key(text.as_bytes());
        Self {
            text,
            key,
            mask,
            literals: &[],
            param: None,
            rest: None,
            leaf: None,
            slash: None,
        }
    }

    /// The literals that may follow, sorted as if a slash stood behind each (`a-b` before `a`). Each differs from the
    /// others in its first segment.
    ///
    /// # Panics
    /// They are not sorted; in a `static`, that is a build error.
    pub const fn literals(mut self, literals: &'static [Node]) -> Self {
        let mut i = 1;
        while i < literals.len() {
            assert!(literals[i - 1].key <= literals[i].key, "the literals are not sorted");
            i += 1;
        }
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

    /// The routes of the path that ends here with a slash; at the root, those of `/`.
    pub const fn slash(mut self, leaf: &'static Leaf) -> Self {
        self.slash = Some(leaf);
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
    /// The routes of the methods every server knows, by number.
    known: [u32; KNOWN.len()],
}

const NONE: u32 = u32::MAX;

impl Leaf {
    /// `methods` maps each method to an index into the table's routes.
    pub const fn new(methods: &'static [(&'static str, usize)]) -> Self {
        let mut known = [NONE; KNOWN.len()];
        let mut i = 0;
        while i < methods.len() {
            let (name, route) = methods[i];
            let number = method::number(name.as_bytes());
            if number < KNOWN.len() {
                known[number] = route as u32;
            }
            i += 1;
        }
        if known[HEAD] == NONE {
            known[HEAD] = known[GET];
        }
        Self { methods, known }
    }

    pub(super) const fn methods(&self) -> &'static [(&'static str, usize)] {
        self.methods
    }

    #[inline]
    pub(super) fn route(&self, wanted: &Wanted<'_>) -> Option<usize> {
        match self.known.get(wanted.number()) {
            Some(&route) => (route != NONE).then_some(route as usize),
            None => self.own(wanted.name()),
        }
    }

    #[cold]
    fn own(&self, name: &[u8]) -> Option<usize> {
        let found = self.methods.iter().find(|(method, _)| method.as_bytes() == name);
        found.map(|(_, route)| *route)
    }
}
