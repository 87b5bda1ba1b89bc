//! `generated!`: the module of generated code, or how to get it.

use std::path::PathBuf;

use proc_macro2::{Span, TokenStream};
use pw_syntax::{GeneratedArgs, names};
use quote::{format_ident, quote};

/// Expands the macro. `file` is where it was called, if the compiler says so.
pub(crate) fn expand(arguments: TokenStream, file: Option<PathBuf>) -> TokenStream {
    let wrong = GeneratedArgs::parse(arguments)
        .err()
        .map(syn::Error::into_compile_error);
    let exists = exists(file);
    if let (Some(wrong), false) = (&wrong, exists) {
        // One mistake at a time: the generator would say the same.
        return wrong.clone();
    }
    let module = format_ident!("{}", names::MODULE);
    let module = if exists {
        // Lints that an application chose for its own code are not for code that a tool wrote.
        quote! {
            #[allow(missing_docs, private_interfaces, unreachable_pub, unused_qualifications, clippy::all, clippy::pedantic)]
            pub mod #module;
        }
    } else {
        syn::Error::new(Span::call_site(), names::never_generated()).into_compile_error()
    };
    quote!(#wrong #module)
}

/// Whether there is a file for the module. If the place of the call is not known (an editor expands it), the package's
/// `src` is looked at; if that is not known either, the compiler shall look.
fn exists(file: Option<PathBuf>) -> bool {
    let sources = match file {
        Some(file) => file.parent().map(PathBuf::from),
        None => std::env::var_os("CARGO_MANIFEST_DIR").map(|package| PathBuf::from(package).join("src")),
    };
    sources.is_none_or(|sources| sources.join(names::MODULE).join("mod.rs").is_file())
}
