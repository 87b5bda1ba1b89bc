//! What `#[route]` means in a module, as far as its `use` items tell.
//!
//! The generator sees no types and no other crate's exports, so it takes `#[route]` for Polywire's unless an import
//! says otherwise, and refuses whatever it can't follow: a renamed attribute, one that comes by way of another module
//! or crate. The macro backs this up: a route the generator overlooked does not compile.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Ident, ItemUse, Path, UseTree, Visibility};

/// What an attribute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Polywire's.
    Ours,
    /// It looks like Polywire's, by another way than the generator can follow.
    Roundabout,
    /// Another crate's, or no route at all.
    Other,
}

/// The imports of one module that matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Imports {
    /// Where an explicit import takes the name `route` from.
    route: Option<Origin>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Polywire,
    Elsewhere,
}

/// An import that the generator refuses.
#[derive(Debug)]
pub(crate) enum Refused {
    /// `use polywire::route as r`
    Renamed(Ident),
    /// `pub use polywire::route`
    Exported(Ident),
}

impl Imports {
    /// Takes note of one `use` item.
    pub(crate) fn read(&mut self, item: &ItemUse, refused: &mut Vec<Refused>) {
        let exported = !matches!(item.vis, Visibility::Inherited);
        self.tree(&item.tree, &mut Vec::new(), exported, refused);
    }

    fn tree<'a>(&mut self, tree: &'a UseTree, prefix: &mut Vec<&'a Ident>, exported: bool, refused: &mut Vec<Refused>) {
        let ours = prefix.first().is_some_and(|first| *first == "polywire");
        match tree {
            UseTree::Path(path) => {
                prefix.push(&path.ident);
                self.tree(&path.tree, prefix, exported, refused);
                prefix.pop();
            }
            UseTree::Group(group) => {
                for item in &group.items {
                    self.tree(item, prefix, exported, refused);
                }
            }
            UseTree::Name(name) if name.ident == "route" => {
                self.route = Some(if ours { Origin::Polywire } else { Origin::Elsewhere });
                if ours && exported {
                    refused.push(Refused::Exported(name.ident.clone()));
                }
            }
            UseTree::Rename(rename) if ours && rename.ident == "route" && rename.rename != "_" => {
                refused.push(Refused::Renamed(rename.ident.clone()));
            }
            UseTree::Rename(rename) if rename.rename == "route" => self.route = Some(Origin::Elsewhere),
            _ => {}
        }
    }

    /// What an attribute of this path and these arguments is.
    pub(crate) fn verdict(&self, path: &Path, arguments: &TokenStream) -> Verdict {
        let segments: Vec<_> = path.segments.iter().map(|s| &s.ident).collect();
        if segments.last().is_none_or(|last| *last != "route") {
            return Verdict::Other;
        }
        let ours = match segments.as_slice() {
            [_] => self.route != Some(Origin::Elsewhere),
            [first, ..] => *first == "polywire",
            [] => false,
        };
        match (ours, looks_like_ours(arguments)) {
            (true, _) => Verdict::Ours,
            (false, true) => Verdict::Roundabout,
            (false, false) => Verdict::Other,
        }
    }

    /// Whether tokens hold `#[route(..)]`, as the body of a macro may. The place of the first.
    pub(crate) fn hidden_in(&self, tokens: TokenStream) -> Option<Ident> {
        let mut after_pound = false;
        for token in tokens {
            match token {
                TokenTree::Punct(p) if p.as_char() == '#' => {
                    after_pound = true;
                    continue;
                }
                TokenTree::Punct(p) if p.as_char() == '!' && after_pound => continue,
                TokenTree::Group(group) => {
                    if after_pound
                        && group.delimiter() == Delimiter::Bracket
                        && let Some(ident) = self.attribute_in(group.stream())
                    {
                        return Some(ident);
                    }
                    if let Some(ident) = self.hidden_in(group.stream()) {
                        return Some(ident);
                    }
                }
                _ => {}
            }
            after_pound = false;
        }
        None
    }

    /// The `route` of `polywire::route(GET, ..)`, `$crate::route(..)` or `route(..)`.
    fn attribute_in(&self, tokens: TokenStream) -> Option<Ident> {
        let mut last = None;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => last = Some(ident),
                TokenTree::Punct(p) if matches!(p.as_char(), ':' | '$') => {}
                TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => {
                    let ident = last.filter(|i| i == "route")?;
                    let unknown = self.route == Some(Origin::Elsewhere);
                    return (!unknown || looks_like_ours(&group.stream())).then_some(ident);
                }
                _ => return None,
            }
        }
        None
    }
}

/// Whether arguments begin as ours do: a method, a comma, a string that begins with `/` (or a macro's variables).
fn looks_like_ours(arguments: &TokenStream) -> bool {
    let mut tokens = arguments.clone().into_iter();
    let method = match tokens.next() {
        Some(TokenTree::Ident(_) | TokenTree::Literal(_)) => true,
        Some(TokenTree::Punct(p)) if p.as_char() == '$' => return true,
        _ => false,
    };
    let comma = matches!(tokens.next(), Some(TokenTree::Punct(p)) if p.as_char() == ',');
    let pattern = match tokens.next() {
        Some(TokenTree::Literal(text)) => text.to_string().starts_with("\"/"),
        Some(TokenTree::Punct(p)) => p.as_char() == '$',
        _ => false,
    };
    method && comma && pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(source: &str) -> (Imports, usize) {
        let mut imports = Imports::default();
        let mut refused = Vec::new();
        for item in syn::parse_file(source).unwrap().items {
            if let syn::Item::Use(item) = item {
                imports.read(&item, &mut refused);
            }
        }
        (imports, refused.len())
    }

    fn verdict(source: &str, path: &str, arguments: &str) -> Verdict {
        imports(source)
            .0
            .verdict(&syn::parse_str(path).unwrap(), &arguments.parse().unwrap())
    }

    #[test]
    fn ours_others_and_roundabout() {
        let args = r#"GET, "/""#;
        assert_eq!(verdict("use polywire::prelude::*;", "route", args), Verdict::Ours);
        assert_eq!(verdict("use polywire::{route, Json};", "route", args), Verdict::Ours);
        assert_eq!(verdict("", "::polywire::route", args), Verdict::Ours);
        assert_eq!(
            verdict("use actix_web::route;", "route", r#""/", method = "GET""#),
            Verdict::Other
        );
        assert_eq!(verdict("use crate::web::route;", "route", args), Verdict::Roundabout);
        assert_eq!(verdict("", "web::route", args), Verdict::Roundabout);
        assert_eq!(verdict("", "rocket::get", args), Verdict::Other);
    }

    #[test]
    fn renames_and_exports_are_refused() {
        assert_eq!(imports("use polywire::route as r;").1, 1);
        assert_eq!(imports("pub(crate) use polywire::{Json, route};").1, 1);
        assert_eq!(imports("use polywire::route; pub use polywire::prelude::*;").1, 0);
    }

    #[test]
    fn macros_are_looked_into() {
        let hidden = |body: &str| Imports::default().hidden_in(body.parse().unwrap()).is_some();
        assert!(hidden("($n:ident) => { #[route(GET, \"/x\")] async fn $n() {} }"));
        assert!(hidden("{ #[$crate::route($m, $p)] async fn f() {} }"));
        assert!(!hidden("{ #[derive(Debug)] struct S; let route = (GET, \"/x\"); }"));
    }
}
