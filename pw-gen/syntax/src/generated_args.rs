//! What is said in `polywire::generated! { .. }`: the application's state and chain, and the crates whose routes it has.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{PathArguments, Token};

use crate::attribute::{Piece, pieces};
use crate::errors::{Errors, nearest};
use crate::fingerprint::Fingerprint;

/// The arguments of `generated!`, checked.
#[derive(Clone, Debug, Default)]
pub struct GeneratedArgs {
    state: Option<RootPath>,
    chain: Option<RootPath>,
    crates: Vec<Ident>,
    fragment: Option<Span>,
}

/// A type named from the crate root: `AppState`, `web::Chain`.
#[derive(Clone, Debug)]
pub struct RootPath(Punctuated<Ident, Token![::]>);

const KEYS: [&str; 4] = ["state", "chain", "crates", "fragment"];
const ALL: &str =
    "what may stand here is `state: AppState`, `chain: Chain`, `crates: [accounts, billing]`, or `fragment` alone";

impl GeneratedArgs {
    /// Reads the tokens between the braces.
    ///
    /// # Errors
    /// Everything that is wrong with them, combined.
    pub fn parse(tokens: TokenStream) -> syn::Result<Self> {
        let mut errors = Errors::of("`generated!`");
        let mut args = Self::default();
        let mut seen: Vec<String> = Vec::new();
        let (pieces, stray) = pieces(tokens);
        for comma in stray {
            errors.at(comma, "must have something before each comma", "remove this one");
        }
        for piece in &pieces {
            let Some((key, value)) = entry(piece, &mut errors) else {
                continue;
            };
            let known = key.to_string();
            if seen.contains(&known) {
                errors.at(
                    key.span(),
                    format_args!("must have `{known}` once"),
                    "remove one of the two",
                );
                continue;
            }
            match &*known {
                "state" => args.state = root_path(&key, &value, &mut errors),
                "chain" => args.chain = root_path(&key, &value, &mut errors),
                "crates" => args.crates = crates(&value, &mut errors),
                _ => args.fragment = Some(key.span()),
            }
            seen.push(known);
        }
        if let (Some(at), 2..) = (args.fragment, seen.len()) {
            errors.at(
                at,
                "must have `fragment` alone: the application that composes it has the state, the chain and the crates",
                "remove `fragment` if this is the application, or all the rest if it is a library",
            );
        }
        errors.finish(Some(args))
    }

    /// The type of the application's state; `()` if there is none.
    pub fn state(&self) -> Option<&RootPath> {
        self.state.as_ref()
    }

    /// The type of the application's chain; `polywire::DefaultChain` if there is none.
    pub fn chain(&self) -> Option<&RootPath> {
        self.chain.as_ref()
    }

    /// The crates whose routes the application has, by the names they have in Rust, in the order written.
    pub fn crates(&self) -> &[Ident] {
        &self.crates
    }

    /// A number that changes with anything said here; the order of the options and white space change nothing.
    pub fn hash(&self) -> u64 {
        let hash = Fingerprint::default();
        let hash = hash.tokens(&self.state).tokens(&self.chain);
        let hash = self.crates.iter().fold(hash, |hash, name| hash.text(&name.to_string()));
        hash.number(u64::from(self.is_fragment())).value()
    }

    /// Whether this is a library whose routes applications compose.
    pub fn is_fragment(&self) -> bool {
        self.fragment.is_some()
    }
}

impl RootPath {
    /// Where it was written.
    pub fn span(&self) -> Span {
        self.0.span()
    }
}

/// As generated code names it: `crate::AppState`.
impl ToTokens for RootPath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let path = &self.0;
        tokens.extend(quote!(crate::#path));
    }
}

/// Takes `key: value` apart. The key is one of [`KEYS`], and only `fragment` has no value.
fn entry(piece: &Piece, errors: &mut Errors) -> Option<(Ident, Vec<TokenTree>)> {
    let [TokenTree::Ident(key), rest @ ..] = piece.tokens() else {
        errors.on(piece, "must have nothing but names and their values", ALL);
        return None;
    };
    let text = key.to_string();
    if !KEYS.contains(&&*text) {
        let what = format_args!("must not have `{text}`: there is nothing of that name");
        match nearest(&text, &KEYS) {
            Some(near) => errors.at(key.span(), what, format_args!("did you mean `{near}`?")),
            None => errors.at(key.span(), what, ALL),
        }
        return None;
    }
    if text == "fragment" {
        if let Some(first) = rest.first() {
            errors.on(
                first,
                "must have `fragment` without a value",
                "write `generated! { fragment }`",
            );
            return None;
        }
        return Some((key.clone(), Vec::new()));
    }
    match rest {
        [TokenTree::Punct(colon), value @ ..] if colon.as_char() == ':' && !value.is_empty() => {
            Some((key.clone(), value.to_vec()))
        }
        _ => {
            errors.on(
                piece,
                format_args!("must give `{text}` a value after `:`"),
                format_args!("write `{}`", example(&text)),
            );
            None
        }
    }
}

fn example(key: &str) -> &'static str {
    match key {
        "state" => "state: AppState",
        "chain" => "chain: Chain",
        _ => "crates: [accounts, billing]",
    }
}

fn root_path(key: &Ident, value: &[TokenTree], errors: &mut Errors) -> Option<RootPath> {
    let value = Piece::new(value.to_vec());
    let alias = match &*key.to_string() {
        "state" => "name a type of the crate root: `state: AppState`, with `pub type AppState = ..;` there if need be",
        _ => {
            "name a type of the crate root: `chain: Chain`, with `pub type Chain = (RequestId, (Recover, MyOwn));` there"
        }
    };
    let path: syn::Path = match syn::parse2(value.to_token_stream()) {
        Ok(path) => path,
        Err(_) => {
            errors.on(
                &value,
                format_args!("must have the path of a type as its `{key}`"),
                alias,
            );
            return None;
        }
    };
    let plain = path
        .segments
        .iter()
        .all(|segment| matches!(segment.arguments, PathArguments::None));
    if path.leading_colon.is_some() || !plain {
        errors.on(
            &value,
            format_args!(
                "must have a plain path from the crate root as its `{key}`: generated code writes it after `crate::`"
            ),
            alias,
        );
        return None;
    }
    let mut names: Punctuated<Ident, Token![::]> = path.segments.into_iter().map(|segment| segment.ident).collect();
    if names.len() > 1 && names.first().is_some_and(|first| first == "crate" || first == "self") {
        names = names.into_iter().skip(1).collect();
    }
    Some(RootPath(names))
}

fn crates(value: &[TokenTree], errors: &mut Errors) -> Vec<Ident> {
    let list = match value {
        [TokenTree::Group(group)] if group.delimiter() == proc_macro2::Delimiter::Bracket => group.stream(),
        _ => {
            errors.on(
                Piece::new(value.to_vec()),
                "must have its `crates` as a list",
                "write `crates: [accounts, billing]`",
            );
            return Vec::new();
        }
    };
    let names = match Punctuated::<Ident, Token![,]>::parse_terminated.parse2(list) {
        Ok(names) => names,
        Err(error) => {
            errors.at(
                error.span(),
                "must have nothing but names of crates in `crates`",
                "write them as in Rust, with `_` for `-`: `crates: [accounts, billing]`",
            );
            return Vec::new();
        }
    };
    let mut crates: Vec<Ident> = Vec::new();
    for name in names {
        if crates.contains(&name) {
            errors.at(
                name.span(),
                format_args!("must name the crate `{name}` once"),
                "remove one of the two",
            );
        } else {
            crates.push(name);
        }
    }
    crates
}
