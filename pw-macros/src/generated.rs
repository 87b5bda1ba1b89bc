//! `generated!`: the module of generated code, or how to get it.

use std::path::PathBuf;

use proc_macro2::{Span, TokenStream};
use pw_syntax::{GeneratedArgs, names};
use quote::{format_ident, quote};

/// Expands the macro. `file` is where it was called, if the compiler says so.
pub(crate) fn expand(arguments: TokenStream, file: Option<PathBuf>) -> TokenStream {
    let module = format_ident!("{}", names::MODULE);
    let arguments = GeneratedArgs::parse(arguments);
    if !exists(file) {
        // One mistake at a time. Of a module whose macro has failed the compiler asks no names, such as those of the
        // fingerprints that every route looks up: the error within is the only one.
        let error = match arguments {
            Ok(_) => syn::Error::new(Span::call_site(), names::never_generated()),
            Err(wrong) => wrong,
        };
        let error = error.into_compile_error();
        return quote!(pub mod #module { #error });
    }
    let beside = match arguments {
        Ok(arguments) => {
            let (types, options) = (types(&arguments), options(&arguments));
            quote!(#types #options)
        }
        Err(wrong) => wrong.into_compile_error(),
    };
    // Lints that an application chose for its own code are not for code that a tool wrote.
    quote! {
        #[allow(missing_docs, private_interfaces, unreachable_pub, unused_qualifications, clippy::all, clippy::pedantic)]
        pub mod #module;
        #beside
    }
}

/// The types that are named exist: said here, where they were written, before generated code says it.
fn types(arguments: &GeneratedArgs) -> TokenStream {
    let types = arguments.state().into_iter().chain(arguments.chain());
    quote! {
        #(
            #[allow(unused_qualifications)]
            const _: fn(&#types) = |_| ();
        )*
    }
}

/// The code was generated from these options.
fn options(arguments: &GeneratedArgs) -> TokenStream {
    let (module, constant) = (format_ident!("{}", names::MODULE), format_ident!("{}", names::OPTIONS));
    let (hash, otherwise) = (arguments.hash(), names::options_changed());
    quote! {
        const _: () = ::core::assert!(crate::#module::#constant == #hash, #otherwise);
    }
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
