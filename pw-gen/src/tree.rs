//! The decision tree over all patterns of an application, as the generated table has it.
//!
//! It knows segments, methods and numbers of routes, nothing of sources or of how Rust is printed. Each [`Node`] and
//! [`Leaf`] here is one `pw_core::route::Node` or `Leaf` in generated code, with the same parts in the same order, so that
//! an emitter only has to spell it. What walks the result: `pw_core::route`.

use pw_syntax::Segment;

/// The tree of all routes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// What a path's first segment is looked up in.
    pub root: Node,
    /// The methods in use beyond RFC 9110's eight and PATCH, sorted: `Table::new`'s last argument.
    pub methods: Vec<String>,
}

/// One step: what may follow a path that has matched up to here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// What leads here, if that is a literal: one segment, or a chain of several joined by `/` where nothing else
    /// branches off between them. Empty at the root and behind a parameter.
    pub text: String,
    /// The literals that may follow, sorted as if a slash stood behind each (`a-b` before `a`).
    pub literals: Vec<Node>,
    /// What follows a `{param}`.
    pub param: Option<Box<Node>>,
    /// The routes of a `{*rest}` here.
    pub rest: Option<Leaf>,
    /// The routes of the path that ends here.
    pub leaf: Option<Leaf>,
    /// The routes of the path that ends here with a slash; at the root, those of `/`.
    pub slash: Option<Leaf>,
}

/// The routes of one pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaf {
    /// Each method and the number of its route, sorted. One method stands here twice only for routes that exclude each
    /// other by `cfg`.
    pub methods: Vec<(String, usize)>,
}

impl Tree {
    /// Builds the tree from each route's method, pattern and number. `/` is one empty literal, or no segment at all. The
    /// order of routes makes no difference.
    ///
    /// # Panics
    /// A wildcard or an empty literal is not its pattern's last segment. Checked patterns have neither.
    pub fn build(routes: &[(&str, &[Segment], usize)]) -> Self {
        let mut tree = Self::default();
        for &(method, segments, number) in routes {
            tree.root.leaf_of(segments).methods.push((method.to_owned(), number));
            if !KNOWN.contains(&method) {
                tree.methods.push(method.to_owned());
            }
        }
        tree.methods.sort();
        tree.methods.dedup();
        tree.root.finish();
        tree
    }
}

impl Node {
    fn leaf_of(&mut self, segments: &[Segment]) -> &mut Leaf {
        let (first, rest) = match segments {
            [] => return self.slash.get_or_insert_default(),
            [first, rest @ ..] => (first, rest),
        };
        let next = match first {
            Segment::Literal(text) if text.is_empty() => {
                assert!(rest.is_empty(), "an empty segment ends its pattern");
                return self.slash.get_or_insert_default();
            }
            Segment::Rest(_) => {
                assert!(rest.is_empty(), "a wildcard ends its pattern");
                return self.rest.get_or_insert_default();
            }
            Segment::Param(_) => self.param.get_or_insert_default(),
            Segment::Literal(text) => self.literal(text),
        };
        match rest.is_empty() {
            true => next.leaf.get_or_insert_default(),
            false => next.leaf_of(rest),
        }
    }

    fn literal(&mut self, text: &str) -> &mut Self {
        let at = self.literals.iter().position(|node| node.text == text);
        let at = at.unwrap_or_else(|| {
            self.literals.push(Self {
                text: text.to_owned(),
                ..Self::default()
            });
            self.literals.len() - 1
        });
        &mut self.literals[at]
    }

    /// Sorts everything and joins chains, from the leaves up.
    fn finish(&mut self) {
        for leaf in [&mut self.leaf, &mut self.slash, &mut self.rest].into_iter().flatten() {
            leaf.methods.sort();
        }
        if let Some(param) = &mut self.param {
            param.finish();
        }
        for child in &mut self.literals {
            child.finish();
            if child.is_link() {
                let next = child.literals.pop().expect("a link has one literal");
                *child = Self {
                    text: format!("{}/{}", child.text, next.text),
                    ..next
                };
            }
        }
        self.literals.sort_by_cached_key(|node| format!("{}/", node.text));
    }

    /// Whether one literal follows and nothing else can happen here.
    fn is_link(&self) -> bool {
        self.literals.len() == 1
            && self.param.is_none()
            && self.rest.is_none()
            && self.leaf.is_none()
            && self.slash.is_none()
    }
}

/// RFC 9110's methods and PATCH, which every server knows.
const KNOWN: [&str; 9] = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(pattern: &str) -> Vec<Segment> {
        let name = |text: &str| text.trim_matches(['{', '*', '}']).to_owned();
        let pieces = pattern[1..].split('/').map(|piece| match piece.as_bytes() {
            [b'{', b'*', ..] => Segment::Rest(name(piece)),
            [b'{', ..] => Segment::Param(name(piece)),
            _ => Segment::Literal(piece.to_owned()),
        });
        pieces.collect()
    }

    fn tree(routes: &[(&str, &str)]) -> Tree {
        let owned: Vec<_> = routes.iter().map(|(_, pattern)| segments(pattern)).collect();
        let entries = routes.iter().zip(&owned).enumerate();
        let entries: Vec<_> = entries.map(|(i, ((method, _), s))| (*method, &**s, i)).collect();
        Tree::build(&entries)
    }

    #[test]
    fn chains_are_joined_where_nothing_branches_off() {
        let tree = tree(&[("GET", "/api/v1/users"), ("GET", "/api/v1/posts"), ("GET", "/a/b/{c}")]);
        let texts: Vec<_> = tree.root.literals.iter().map(|node| &*node.text).collect();
        assert_eq!(texts, ["a/b", "api/v1"]);
        let texts: Vec<_> = tree.root.literals[1].literals.iter().map(|node| &*node.text).collect();
        assert_eq!(texts, ["posts", "users"]);
    }

    #[test]
    fn order_makes_no_difference() {
        let routes = [
            ("GET", "/"),
            ("GET", "/a"),
            ("POST", "/a"),
            ("GET", "/a/"),
            ("PURGE", "/{x}"),
            ("LINK", "/{*x}"),
        ];
        let owned: Vec<_> = routes.iter().map(|(_, pattern)| segments(pattern)).collect();
        let mut entries: Vec<_> = (0..routes.len()).map(|i| (routes[i].0, &*owned[i], i)).collect();
        let forward = Tree::build(&entries);
        entries.reverse();
        assert_eq!(Tree::build(&entries), forward);
        assert_eq!(forward.methods, ["LINK", "PURGE"]);
        assert_eq!(forward.root.slash.unwrap().methods, [("GET".to_owned(), 0)]);
        let a = &forward.root.literals[0];
        assert_eq!(
            a.leaf.as_ref().unwrap().methods,
            [("GET".to_owned(), 1), ("POST".to_owned(), 2)]
        );
        assert_eq!(a.slash.as_ref().unwrap().methods, [("GET".to_owned(), 3)]);
    }
}
