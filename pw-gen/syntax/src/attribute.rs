//! The tokens between the parentheses of `#[route(..)]`, cut at their commas. One piece that is wrong does not keep the
//! others from being looked at.

use proc_macro2::{Delimiter, Literal, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

/// What stands between two commas; never empty.
#[derive(Clone, Debug)]
pub(crate) struct Piece(Vec<TokenTree>);

impl Piece {
    pub(crate) fn new(tokens: Vec<TokenTree>) -> Self {
        debug_assert!(!tokens.is_empty());
        Self(tokens)
    }

    pub(crate) fn tokens(&self) -> &[TokenTree] {
        &self.0
    }

    /// The only token, if it is a string.
    pub(crate) fn string(&self) -> Option<LitStr> {
        match self.tokens() {
            [TokenTree::Literal(literal)] => lit_str(literal),
            _ => None,
        }
    }

    /// Whether it looks like an option: a word, and more after it.
    pub(crate) fn is_option(&self) -> bool {
        matches!(self.tokens(), [TokenTree::Ident(_), TokenTree::Punct(eq), ..] if eq.as_char() == '=')
    }

    /// Whether it is words joined by dashes, as `VERSION-CONTROL`.
    pub(crate) fn is_dashed(&self) -> bool {
        self.0.len() % 2 == 1
            && self.0.iter().enumerate().all(|(at, token)| match token {
                TokenTree::Ident(_) => at % 2 == 0,
                TokenTree::Punct(dash) => at % 2 == 1 && dash.as_char() == '-',
                _ => false,
            })
    }

    /// Its tokens without white space.
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl ToTokens for Piece {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().cloned());
    }
}

/// Cuts tokens at their commas. The second part has the spans of commas that nothing stands before; one comma may end
/// the list.
pub(crate) fn pieces(tokens: TokenStream) -> (Vec<Piece>, Vec<Span>) {
    let (mut pieces, mut stray, mut current) = (Vec::new(), Vec::new(), Vec::new());
    for token in flat(tokens) {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                if current.is_empty() {
                    stray.push(comma.span());
                } else {
                    pieces.push(Piece::new(std::mem::take(&mut current)));
                }
            }
            token => current.push(token),
        }
    }
    if !current.is_empty() {
        pieces.push(Piece::new(current));
    }
    (pieces, stray)
}

/// The tokens without the invisible groups that `macro_rules!` puts around what it passes on.
pub(crate) fn flat(tokens: TokenStream) -> Vec<TokenTree> {
    let mut out = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => out.extend(flat(group.stream())),
            token => out.push(token),
        }
    }
    out
}

/// A literal that is a plain or raw string.
pub(crate) fn lit_str(literal: &Literal) -> Option<LitStr> {
    match syn::Lit::new(literal.clone()) {
        syn::Lit::Str(text) if text.suffix().is_empty() => Some(text),
        _ => None,
    }
}
