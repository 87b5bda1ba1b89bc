//! Routes where no route can be: in functions, `impl` blocks, macros, behind `cfg_attr`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Macro, Meta};

use super::arguments;
use super::imports::{Imports, Verdict};

/// Every such route in an item, with what to say. The attributes of the item itself, if it is a function, are the
/// caller's.
pub(crate) fn find(item: &Item, imports: &Imports) -> Vec<(Span, &'static str, &'static str)> {
    let mut search = Search {
        imports,
        within: Within::Item,
        found: Vec::new(),
    };
    match item {
        Item::Fn(function) => {
            for attribute in &function.attrs {
                search.conditional(attribute);
            }
            search.within = Within::Function;
            search.visit_block(&function.block);
        }
        Item::Impl(_) | Item::Trait(_) => {
            search.within = Within::Impl;
            search.visit_item(item);
        }
        _ => search.visit_item(item),
    }
    search.found
}

#[derive(Clone, Copy)]
enum Within {
    Item,
    Function,
    Impl,
}

struct Search<'a> {
    imports: &'a Imports,
    within: Within,
    found: Vec<(Span, &'static str, &'static str)>,
}

impl Search<'_> {
    fn conditional(&mut self, attribute: &Attribute) {
        if !attribute.path().is_ident("cfg_attr") {
            return;
        }
        let metas = attribute
            .parse_args_with(syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated)
            .unwrap_or_default();
        for meta in metas.iter().skip(1) {
            let tokens = match meta {
                Meta::List(list) => list.tokens.clone(),
                _ => continue,
            };
            if self.imports.verdict(meta.path(), &tokens) != Verdict::Other {
                self.found.push((
                    meta.path().span(),
                    "a route can't stand in `cfg_attr`",
                    "write `#[cfg(..)]` and `#[route(..)]`, each on a line of its own",
                ));
            }
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.conditional(attribute);
        if self.imports.verdict(attribute.path(), &arguments(attribute)) == Verdict::Other {
            return;
        }
        let (message, help) = match self.within {
            Within::Item => (
                "a route is a function",
                "put `#[route(..)]` on an `async fn` at the top of a module",
            ),
            Within::Function => (
                "a route can't stand within a function",
                "move it to the top of a module: generated code can't name it here",
            ),
            Within::Impl => (
                "a route can't be a method",
                "write a function at the top of a module, and take what `self` has as `State`",
            ),
        };
        self.found.push((attribute.path().span(), message, help));
    }

    fn visit_macro(&mut self, mac: &'ast Macro) {
        if let Some(route) = self.imports.hidden_in(mac.tokens.clone()) {
            self.found.push((
                route.span(),
                "a route can't stand within a macro's braces",
                "move the function out of the macro, to the top of a module",
            ));
        }
        visit::visit_macro(self, mac);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let outer = std::mem::replace(&mut self.within, Within::Function);
        visit::visit_block(self, block);
        self.within = outer;
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let outer = std::mem::replace(&mut self.within, Within::Impl);
        visit::visit_item_impl(self, item);
        self.within = outer;
    }
}
