//! The one file of a fragment: what tells its own macros and its applications that they are up to date.

use quote::quote;

use super::print::File;
use crate::route_set::RouteSet;

/// `src/generated/mod.rs`.
pub(crate) fn emit(set: &RouteSet) -> String {
    let mut file = File::new(&format!(
        "{} The routes of `{}`, for the applications that compose them.",
        super::WRITTEN_BY,
        set.package
    ));
    let digest = super::hash(set.digest());
    file.verbatim(&super::fingerprints(set));
    file.item(quote! {
        /// What an application compares with the routes it was generated from.
        pub const DIGEST: u64 = #digest;
    });
    file.finish()
}
