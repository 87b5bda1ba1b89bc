//! `#[route]`: the function as it was, and one `const` block of what the compiler has to check.

use proc_macro2::{Ident, Span, TokenStream};
use pw_syntax::{Function, RawRoute, Route, names};
use quote::{format_ident, quote};

use crate::checks;

/// Expands the attribute. The item comes out unchanged, whatever is wrong; nothing is asserted of a route that is wrong.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let at = Span::call_site();
    let beside = Function::parse(item.clone(), at)
        .and_then(|function| {
            let route = RawRoute::new(attribute, at, &function.signature).check()?;
            Ok(assertions(&route, &function))
        })
        .unwrap_or_else(syn::Error::into_compile_error);
    quote!(#item #beside)
}

fn assertions(route: &Route, function: &Function) -> TokenStream {
    // A `cfg` that stands below the attribute is still there, and goes for the assertions too.
    let cfgs = function.attributes.iter().filter(|a| a.path().is_ident("cfg"));
    let generated = generated(route);
    let names = checks::names(route);
    let types = checks::types(route);
    quote! {
        #(#cfgs)*
        const _: () = {
            #generated
            #names
            #types
        };
    }
}

/// The route stands in the generated table, as it is now.
fn generated(route: &Route) -> TokenStream {
    let module = format_ident!("{}", names::MODULE);
    let table = format_ident!("{}", names::FINGERPRINTS);
    let hash = hexadecimal(route.hash());
    let otherwise = names::not_generated(&handler(route.handler()));
    quote! {
        ::core::assert!(
            ::polywire::codegen::contains(
                &crate::#module::#table,
                ::polywire::codegen::fingerprint(#hash, ::core::module_path!()),
            ),
            #otherwise,
        );
    }
}

/// A function's name as messages have it.
pub(crate) fn handler(ident: &Ident) -> String {
    use syn::ext::IdentExt;
    ident.unraw().to_string()
}

fn hexadecimal(hash: u64) -> syn::LitInt {
    syn::LitInt::new(&format!("{hash:#018x}"), Span::call_site())
}
