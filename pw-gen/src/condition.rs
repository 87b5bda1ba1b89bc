//! `cfg` predicates: copied from sources to generated code, compared, never evaluated.

use std::collections::BTreeMap;
use std::fmt;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Token, parenthesized};

/// When a route is compiled: all of its predicates hold. Empty: always.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condition(BTreeMap<String, Predicate>);

impl Condition {
    /// This, and what the `#[cfg(..)]` among `attributes` say.
    ///
    /// # Errors
    /// A predicate is not one.
    pub(crate) fn and(&self, attributes: &[Attribute]) -> syn::Result<Self> {
        let mut all = self.clone();
        for attribute in attributes.iter().filter(|a| a.path().is_ident("cfg")) {
            all.add(attribute.parse_args()?);
        }
        Ok(all)
    }

    /// This, and one predicate more.
    pub(crate) fn with(&self, predicate: Predicate) -> Self {
        let mut all = self.clone();
        all.add(predicate);
        all
    }

    /// The opposite, as one predicate.
    pub(crate) fn negated(&self) -> Predicate {
        Predicate::Not(Box::new(self.predicate()))
    }

    /// Whether it holds in every build.
    pub(crate) fn is_always(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether no build has both: one asks for `a`, the other for `not(a)`.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        let denies = |a: &Self, b: &Self| {
            a.0.values()
                .any(|p| matches!(p, Predicate::Not(inner) if b.0.contains_key(&inner.to_string())))
        };
        denies(self, other) || denies(other, self)
    }

    /// Whether it says the same in every crate of a build: it asks for nothing but the target.
    pub(crate) fn is_of_target(&self) -> bool {
        self.0.values().all(Predicate::is_of_target)
    }

    /// `#[cfg(..)]`, or nothing.
    pub(crate) fn attribute(&self) -> TokenStream {
        if self.is_always() {
            return TokenStream::new();
        }
        let predicate = self.predicate().tokens();
        quote!(#[cfg(#predicate)])
    }

    /// The predicate within `cfg(..)`.
    pub(crate) fn predicate(&self) -> Predicate {
        match self.0.values().next() {
            Some(only) if self.0.len() == 1 => only.clone(),
            _ => Predicate::All(self.0.values().cloned().collect()),
        }
    }

    fn add(&mut self, predicate: Predicate) {
        match predicate {
            Predicate::All(all) => all.into_iter().for_each(|p| self.add(p)),
            Predicate::Not(inner) => match *inner {
                Predicate::Not(twice) => self.add(*twice),
                Predicate::Any(any) => any.into_iter().for_each(|p| self.add(Predicate::Not(Box::new(p)))),
                Predicate::All(mut one) if one.len() == 1 => self.add(Predicate::Not(Box::new(one.remove(0)))),
                other => {
                    let not = Predicate::Not(Box::new(other));
                    self.0.insert(not.to_string(), not);
                }
            },
            Predicate::Any(mut one) if one.len() == 1 => self.add(one.remove(0)),
            other => {
                self.0.insert(other.to_string(), other);
            }
        }
    }
}

/// The predicate's text; empty when it always holds.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_always() {
            return Ok(());
        }
        self.predicate().fmt(f)
    }
}

/// One `cfg` predicate.
#[derive(Clone, Debug)]
pub(crate) enum Predicate {
    /// `all(..)`
    All(Vec<Predicate>),
    /// `any(..)`
    Any(Vec<Predicate>),
    /// `not(..)`
    Not(Box<Predicate>),
    /// `unix`, `feature = "x"`
    Option(syn::Ident, Option<syn::LitStr>),
    /// `true`, `false`
    Literal(bool),
}

impl Predicate {
    fn is_of_target(&self) -> bool {
        match self {
            Self::All(all) | Self::Any(all) => all.iter().all(Self::is_of_target),
            Self::Not(inner) => inner.is_of_target(),
            Self::Option(name, _) => name == "unix" || name == "windows" || name.to_string().starts_with("target_"),
            Self::Literal(_) => true,
        }
    }

    /// What stands in `cfg(..)`.
    pub(crate) fn tokens(&self) -> TokenStream {
        match self {
            Self::All(all) => {
                let all = all.iter().map(Self::tokens);
                quote!(all(#(#all),*))
            }
            Self::Any(any) => {
                let any = any.iter().map(Self::tokens);
                quote!(any(#(#any),*))
            }
            Self::Not(inner) => {
                let inner = inner.tokens();
                quote!(not(#inner))
            }
            Self::Option(name, None) => quote!(#name),
            Self::Option(name, Some(value)) => quote!(#name = #value),
            Self::Literal(value) => quote!(#value),
        }
    }
}

impl Parse for Predicate {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(syn::LitBool) {
            return Ok(Self::Literal(input.parse::<syn::LitBool>()?.value));
        }
        let name: syn::Ident = syn::ext::IdentExt::parse_any(input)?;
        if input.peek(syn::token::Paren) {
            let inner;
            parenthesized!(inner in input);
            let list = Punctuated::<Self, Token![,]>::parse_terminated(&inner)?;
            let mut list: Vec<_> = list.into_iter().collect();
            return match name.to_string().as_str() {
                "all" => Ok(Self::All(list)),
                "any" => Ok(Self::Any(list)),
                "not" if list.len() == 1 => Ok(Self::Not(Box::new(list.remove(0)))),
                _ => Err(syn::Error::new(name.span(), "expected `all`, `any` or `not`")),
            };
        }
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        // An attribute macro's cfg may be followed by a comma.
        let _ = input.peek(Token![,]) && input.peek2(syn::parse::End) && input.parse::<Token![,]>().is_ok();
        Ok(Self::Option(name, value))
    }
}

impl fmt::Display for Predicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name: &str, all: &[Self]| {
            write!(f, "{name}(")?;
            for (at, one) in all.iter().enumerate() {
                write!(f, "{}{one}", if at == 0 { "" } else { ", " })?;
            }
            f.write_str(")")
        };
        match self {
            Self::All(all) => list(f, "all", all),
            Self::Any(any) => list(f, "any", any),
            Self::Not(inner) => write!(f, "not({inner})"),
            Self::Option(name, None) => write!(f, "{name}"),
            Self::Option(name, Some(value)) => write!(f, "{name} = {:?}", value.value()),
            Self::Literal(value) => write!(f, "{value}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(attributes: &str) -> Condition {
        let function: syn::ItemFn = syn::parse_str(&format!("{attributes} fn f() {{}}")).unwrap();
        Condition::default().and(&function.attrs).unwrap()
    }

    #[test]
    fn opposites_exclude_each_other_however_they_are_nested() {
        let unix = condition("#[cfg(unix)]");
        assert!(unix.excludes(&condition("#[cfg(not(unix))]")));
        assert!(unix.excludes(&condition(r#"#[cfg(all(feature = "a", not(any(unix, windows))))]"#)));
        assert!(!unix.excludes(&condition("#[cfg(windows)]")));
        assert!(!unix.excludes(&condition("#[cfg(not(all(unix, windows)))]")));
        assert!(condition("#[cfg(not(not(unix)))]").excludes(&condition("#[cfg(not(unix))]")));
    }

    #[test]
    fn text_is_normal() {
        assert_eq!(
            condition(r#"#[cfg(feature="b")] #[cfg(all(unix, feature = "b",))]"#).to_string(),
            r#"all(feature = "b", unix)"#
        );
        assert_eq!(condition("").to_string(), "");
    }
}
