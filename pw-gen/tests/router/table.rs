//! A tree as the static table that generated code would have, leaked.

use pw_core::route::{Leaf, Node, Route, Table};
use pw_gen::tree::{self, Tree};
use pw_syntax::Segment;

/// The table of these methods and patterns; each route's number is its place.
pub(crate) fn table<M: AsRef<str>, P: AsRef<str>>(routes: &[(M, P)]) -> &'static Table {
    let patterns: Vec<_> = routes.iter().map(|(_, pattern)| segments(pattern.as_ref())).collect();
    let entries = routes.iter().zip(&patterns).enumerate();
    let entries: Vec<_> = entries
        .map(|(number, ((method, _), pattern))| (method.as_ref(), pattern.as_slice(), number))
        .collect();
    let tree = Tree::build(&entries);
    let routes = routes
        .iter()
        .map(|(method, pattern)| Route::new("", text(method.as_ref()), text(pattern.as_ref()), ""));
    let methods = tree.methods.iter().map(|method| text(method));
    Box::leak(Box::new(Table::new(
        leaked(routes),
        Box::leak(Box::new(node(&tree.root))),
        leaked(methods),
    )))
}

/// The segments of a pattern in normal form.
fn segments(pattern: &str) -> Vec<Segment> {
    let name = |text: &str| text.trim_matches(['{', '*', '}']).to_owned();
    let segments = pattern[1..].split('/').map(|text| match text.as_bytes() {
        [b'{', b'*', ..] => Segment::Rest(name(text)),
        [b'{', ..] => Segment::Param(name(text)),
        _ => Segment::Literal(text.to_owned()),
    });
    segments.collect()
}

fn node(tree: &tree::Node) -> Node {
    let mut node = Node::literal(text(&tree.text)).literals(leaked(tree.literals.iter().map(self::node)));
    if let Some(param) = &tree.param {
        node = node.param(Box::leak(Box::new(self::node(param))));
    }
    if let Some(rest) = &tree.rest {
        node = node.rest(leaf(rest));
    }
    if let Some(own) = &tree.leaf {
        node = node.leaf(leaf(own));
    }
    if let Some(slash) = &tree.slash {
        node = node.slash(leaf(slash));
    }
    node
}

fn leaf(tree: &tree::Leaf) -> &'static Leaf {
    let methods = tree.methods.iter().map(|(method, number)| (text(method), *number));
    Box::leak(Box::new(Leaf::new(leaked(methods))))
}

fn text(text: &str) -> &'static str {
    Box::leak(Box::from(text))
}

fn leaked<T>(items: impl Iterator<Item = T>) -> &'static [T] {
    items.collect::<Vec<_>>().leak()
}
