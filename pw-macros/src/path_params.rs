//! `#[derive(PathParams)]`: a struct made from a path's parameters, each by its name.

use proc_macro2::{Span, TokenStream};
use pw_syntax::PathParams;
use quote::quote;
use syn::{DeriveInput, Lifetime};

/// Expands the derive.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    syn::parse2::<DeriveInput>(item)
        .and_then(|input| PathParams::check(&input))
        .map(|params| implementations(&params))
        .unwrap_or_else(syn::Error::into_compile_error)
}

fn implementations(params: &PathParams) -> TokenStream {
    let ident = params.ident();
    let (own, arguments, clause) = params.generics().split_for_impl();
    // A struct that borrows nothing is made from a request of any lifetime.
    let free = Lifetime::new("'request", Span::call_site());
    let (lifetime, head) = match params.lifetime() {
        Some(lifetime) => (lifetime, quote!(impl #own)),
        None => (&free, quote!(impl<'request>)),
    };
    let fields = params.params().iter().map(|param| {
        let (field, name, ty) = (param.ident(), param.name(), param.ty());
        quote!(#field: params.named::<#ty>(#name)?)
    });
    let names = params.params().iter().map(|param| param.name());
    quote! {
        #[automatically_derived]
        #head ::polywire::codegen::FromParams<#lifetime> for #ident #arguments #clause {
            fn from_params(
                params: &::polywire::codegen::ParamValues<#lifetime>,
            ) -> ::core::result::Result<Self, ::polywire::codegen::Problem> {
                ::core::result::Result::Ok(Self { #(#fields),* })
            }
        }

        #[automatically_derived]
        impl #own ::polywire::codegen::NamedParams for #ident #arguments #clause {
            const NAMES: &'static [&'static str] = &[#(#names),*];
        }
    }
}
