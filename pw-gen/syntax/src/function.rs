//! The item under an attribute, read up to its body, which is nobody's business here.

use proc_macro2::{Span, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Signature, Token, Visibility};

use crate::errors::Errors;

/// A function without its body.
#[derive(Clone, Debug)]
pub struct Function {
    /// The attributes that stand on it beside the one that was taken off.
    pub attributes: Vec<Attribute>,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its signature.
    pub signature: Signature,
}

impl Function {
    /// Reads the item that an attribute stands on. `at` is the attribute's place.
    ///
    /// # Errors
    /// The item is no function, or one without a body, or can't be parsed.
    pub fn parse(item: TokenStream, at: Span) -> syn::Result<Self> {
        let read = |input: ParseStream<'_>| -> syn::Result<Self> {
            let attributes = Attribute::parse_outer(input)?;
            let visibility = input.parse()?;
            if !is_function(input) {
                let mut errors = Errors::of("`#[route]`");
                let rest: TokenStream = input.parse()?;
                let keyword = rest.into_iter().next().map_or(at, |token| token.span());
                errors.at(keyword, "must stand on an `async fn`", HELP);
                return errors.finish(None);
            }
            let signature = input.parse()?;
            if input.peek(Token![;]) {
                let mut errors = Errors::of("`#[route]`");
                let end: Token![;] = input.parse()?;
                errors.on(end, "must stand on a function that has a body", "write the body");
                return errors.finish(None);
            }
            input.parse::<TokenStream>()?;
            Ok(Self {
                attributes,
                visibility,
                signature,
            })
        };
        read.parse2(item)
    }
}

const HELP: &str = "a handler is a free function: `async fn show_user(Path(id): Path<u64>) -> Json<User> { .. }`";

/// Whether a function follows: `fn` after its qualifiers.
fn is_function(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    loop {
        if ahead.peek(Token![fn]) {
            return true;
        }
        let qualifier = ahead.peek(Token![const])
            || ahead.peek(Token![async])
            || ahead.peek(Token![unsafe])
            || ahead.peek(Token![extern])
            || ahead.peek(syn::LitStr);
        if !qualifier || ahead.parse::<proc_macro2::TokenTree>().is_err() {
            return false;
        }
    }
}
