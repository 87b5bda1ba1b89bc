//! The types that a module declares, and which of them its handlers name.
//!
//! Generated code has a handler's arguments and its answer in its hands, so it must be allowed to see their types. Of types
//! that come from elsewhere nothing is known; those of a handler's own module stand beside it.

use std::collections::{HashMap, HashSet};

use syn::visit::{self, Visit};
use syn::{FnArg, GenericParam, Ident, Item, ReturnType, Signature, Type, Visibility};

use super::{Module, NamedType, Reach};

/// What one module declares.
#[derive(Debug, Default)]
pub(crate) struct Types<'a>(HashMap<String, Declared<'a>>);

#[derive(Debug)]
enum Declared<'a> {
    /// A type of its own: how it is declared, its name, how far it is seen.
    Own(&'static str, &'a Ident, &'a Visibility),
    /// Another name of a type; nothing but that type must be seen.
    Alias(&'a Type),
    /// Several of one name, as `cfg` allows.
    Several,
}

impl<'a> Types<'a> {
    /// What stands among these items.
    pub(crate) fn of(items: &'a [Item]) -> Self {
        let mut types = Self::default();
        for item in items {
            let (name, declared) = match item {
                Item::Struct(item) => (&item.ident, Declared::Own("struct", &item.ident, &item.vis)),
                Item::Enum(item) => (&item.ident, Declared::Own("enum", &item.ident, &item.vis)),
                Item::Union(item) => (&item.ident, Declared::Own("union", &item.ident, &item.vis)),
                Item::Type(item) => (&item.ident, Declared::Alias(&item.ty)),
                _ => continue,
            };
            types
                .0
                .entry(name.to_string())
                .and_modify(|earlier| *earlier = Declared::Several)
                .or_insert(declared);
        }
        types
    }

    /// The types of the module that a signature names, each once.
    pub(super) fn named_in(&self, signature: &'a Signature, module: &Module) -> Vec<NamedType> {
        let mut search = Search {
            types: self,
            // A type parameter hides a type of its name.
            seen: signature
                .generics
                .params
                .iter()
                .filter_map(|parameter| match parameter {
                    GenericParam::Type(parameter) => Some(parameter.ident.to_string()),
                    _ => None,
                })
                .collect(),
            at: None,
            module,
            found: Vec::new(),
        };
        for input in &signature.inputs {
            if let FnArg::Typed(input) = input {
                search.visit_type(&input.ty);
            }
        }
        if let ReturnType::Type(_, ty) = &signature.output {
            search.visit_type(ty);
        }
        search.found
    }
}

struct Search<'a, 's> {
    types: &'s Types<'a>,
    seen: HashSet<String>,
    /// Where the signature names the alias that is followed.
    at: Option<&'a Ident>,
    module: &'s Module,
    found: Vec<NamedType>,
}

impl<'a> Visit<'a> for Search<'a, '_> {
    fn visit_type_path(&mut self, path: &'a syn::TypePath) {
        if let (None, Some(segment), 1) = (&path.qself, path.path.segments.first(), path.path.segments.len()) {
            let name = segment.ident.to_string();
            match self.types.0.get(&name) {
                Some(declared) if self.seen.insert(name) => match declared {
                    Declared::Own(keyword, ident, visibility) => self.found.push(NamedType {
                        keyword,
                        name: (*ident).clone(),
                        reach: Reach::of(visibility, &self.module.path),
                        declared: self.module.place(ident.span()),
                        named: self.module.place(self.at.unwrap_or(&segment.ident).span()),
                    }),
                    Declared::Alias(ty) => {
                        let outer = self.at;
                        self.at = outer.or(Some(&segment.ident));
                        self.visit_type(ty);
                        self.at = outer;
                    }
                    Declared::Several => {}
                },
                _ => {}
            }
        }
        visit::visit_type_path(self, path);
    }
}
