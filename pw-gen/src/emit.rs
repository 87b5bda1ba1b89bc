//! From a checked set of routes to the files of `src/generated`.
//!
//! Tokens first, then text. Generated code names `polywire::codegen`, `polywire` itself and the application's own items,
//! and reads as if a person had written it. Files: `mod.rs` (what no transport changes) and one binder per transport.

mod binder;
mod fragment;
mod node;
mod print;
mod table;

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use pw_syntax::names;
use quote::quote;

use crate::route_set::{Kind, Route, RouteSet};
use crate::transport;

/// The files of a set, by name.
pub(crate) fn emit(set: &RouteSet) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    match &set.kind {
        Kind::Fragment => {
            files.insert("mod.rs".to_owned(), fragment::emit(set));
        }
        Kind::Application(application) => {
            files.insert("mod.rs".to_owned(), table::emit(set, application));
            for transport in transport::ALL {
                files.insert(
                    format!("{}.rs", transport.name),
                    binder::emit(set, application, transport),
                );
            }
        }
    }
    files
}

fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

/// A number as people write it: `65_536`.
fn number(value: u64) -> Literal {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digits.len() > 4 {
            text.push('_');
        }
        text.push(digit);
    }
    text.parse().expect("digits and underscores are a literal")
}

/// A hash as people write it: `0x0123_4567_89ab_cdef`.
fn hash(value: u64) -> Literal {
    let digits = format!("{value:016x}");
    let parts = [&digits[..4], &digits[4..8], &digits[8..12], &digits[12..]];
    format!("0x{}", parts.join("_")).parse().expect("a literal")
}

/// `Duration::from_secs(5)`
fn duration(value: std::time::Duration) -> TokenStream {
    let millis = u64::try_from(value.as_millis()).unwrap_or(u64::MAX);
    if millis.is_multiple_of(1000) {
        let seconds = number(millis / 1000);
        quote!(Duration::from_secs(#seconds))
    } else {
        let millis = number(millis);
        quote!(Duration::from_millis(#millis))
    }
}

/// `pub const FINGERPRINTS: &[u64]`, sorted, each with its route's name.
fn fingerprints(set: &RouteSet) -> String {
    let mut text = format!(
        "/// What each `#[route]` looks up to know that it is in here, as it is now.\npub const {}: &[u64] = &[",
        names::FINGERPRINTS
    );
    for (fingerprint, condition, name) in &set.fingerprints {
        if !condition.is_always() {
            text.push_str(&format!("\n    #[cfg({condition})]"));
        }
        text.push_str(&format!("\n    {}, // {name}", hash(*fingerprint)));
    }
    if !set.fingerprints.is_empty() {
        text.push('\n');
    }
    text + "];\n"
}

/// `pub const OPTIONS: u64`
fn options(set: &RouteSet) -> TokenStream {
    let (name, options) = (ident(names::OPTIONS), hash(set.options));
    quote! {
        /// What `generated!` compares with its own options.
        pub const #name: u64 = #options;
    }
}

/// `4 routes`
fn count(routes: &[Route]) -> String {
    match routes.len() {
        1 => "1 route".to_owned(),
        n => format!("{n} routes"),
    }
}
