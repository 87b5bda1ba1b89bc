//! The tree of patterns as constants: one per first segment, so that each reads by itself.

use proc_macro2::TokenStream;
use quote::quote;

use crate::name::{Names, constant};
use crate::route_set::RouteSet;
use crate::tree::{Leaf, Node};

/// The constants, then `static ROOT`.
pub(crate) fn emit(set: &RouteSet) -> Vec<TokenStream> {
    let mut items = Vec::new();
    let mut names = Names::without(&[
        "ROUTES",
        "ROOT",
        "TABLE",
        pw_syntax::names::OPTIONS,
        pw_syntax::names::FINGERPRINTS,
    ]);
    let root = whole(set, &set.tree.root, "", &mut names, &mut items);
    items.push(quote! {
        /// What may follow the first slash of a path.
        static ROOT: Node = #root;
    });
    items
}

/// A literal node: in place if it is small, by the name of its own constant if not.
fn branch(set: &RouteSet, node: &Node, path: &str, names: &mut Names, items: &mut Vec<TokenStream>) -> TokenStream {
    let path = format!("{path}/{}", node.text);
    let tokens = whole(set, node, &path, names, items);
    if size(node) < 2 {
        return tokens;
    }
    constant_of(&path, tokens, names, items)
}

/// A node with all below it, large branches by name.
fn whole(set: &RouteSet, node: &Node, path: &str, names: &mut Names, items: &mut Vec<TokenStream>) -> TokenStream {
    let start = match node.text.as_str() {
        "" => quote!(Node::new()),
        text => quote!(Node::literal(#text)),
    };
    let parts = parts(set, node);
    let literals = node
        .literals
        .iter()
        .map(|child| branch(set, child, path, names, items))
        .collect::<Vec<_>>();
    let literals = (!literals.is_empty()).then(|| quote!(.literals(&[#(#literals),*])));
    let param = node.param.as_ref().map(|child| {
        let child = param(set, child, path, names, items);
        quote!(.param(&#child))
    });
    quote!(#start #parts #literals #param)
}

/// What follows a parameter: in place or, if it branches, by the name of its own constant.
fn param(set: &RouteSet, node: &Node, path: &str, names: &mut Names, items: &mut Vec<TokenStream>) -> TokenStream {
    let path = format!("{path}/{{param}}");
    let tokens = whole(set, node, &path, names, items);
    if node.literals.is_empty() || size(node) < 2 {
        return tokens;
    }
    constant_of(&path, tokens, names, items)
}

fn constant_of(path: &str, node: TokenStream, names: &mut Names, items: &mut Vec<TokenStream>) -> TokenStream {
    let name = super::ident(&names.take(constant(path)));
    let doc = format!(" `{path}` and what may follow it.");
    items.push(quote! {
        #[doc = #doc]
        const #name: Node = #node;
    });
    quote!(#name)
}

/// The routes of a node itself.
fn parts(set: &RouteSet, node: &Node) -> TokenStream {
    let own = |part: &Option<Leaf>| part.as_ref().map(|part| leaf(set, part));
    let leaf = own(&node.leaf).map(|leaf| quote!(.leaf(&#leaf)));
    let slash = own(&node.slash).map(|leaf| quote!(.slash(&#leaf)));
    let rest = own(&node.rest).map(|leaf| quote!(.rest(&#leaf)));
    quote!(#leaf #slash #rest)
}

fn leaf(set: &RouteSet, leaf: &Leaf) -> TokenStream {
    let methods = leaf.methods.iter().map(|(method, number)| {
        let route = &set.routes[*number];
        let (cfg, at) = (route.condition.attribute(), super::ident(&route.constant));
        quote!(#cfg (#method, at::#at))
    });
    quote!(Leaf::new(&[#(#methods),*]))
}

/// How many leaves are on a node and below it.
fn size(node: &Node) -> usize {
    let own = [&node.leaf, &node.slash, &node.rest].into_iter().flatten().count();
    own + node.literals.iter().map(size).sum::<usize>() + node.param.as_deref().map_or(0, size)
}
