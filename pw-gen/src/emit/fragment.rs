//! The one file of a fragment: what tells its own macros and its applications that they are up to date.

use pw_syntax::names;
use quote::quote;

use super::print::File;
use crate::route_set::RouteSet;

/// `src/generated/mod.rs`.
pub(crate) fn emit(set: &RouteSet) -> String {
    let mut file = File::new(&format!(
        "{} The routes of `{}`, for the applications that compose them.",
        names::WRITTEN_BY,
        set.package
    ));
    let (name, digest) = (super::ident(names::DIGEST), super::hash(set.digest()));
    file.item(super::options(set));
    file.verbatim(&super::fingerprints(set));
    file.item(quote! {
        /// What an application compares with the routes it was generated from.
        pub const #name: u64 = #digest;
    });
    file.finish()
}
