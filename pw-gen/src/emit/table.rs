//! `src/generated/mod.rs` of an application: its type, its routes, the tree over them, their fingerprints.

use proc_macro2::TokenStream;
use pw_syntax::names;
use quote::quote;

use super::print::File;
use super::{ident, node};
use crate::condition::Condition;
use crate::route_set::{Application, Route, RouteSet};
use crate::transport;

/// `src/generated/mod.rs`.
pub(crate) fn emit(set: &RouteSet, application: &Application) -> String {
    let mut file = File::new(&format!("{} The routes of `{}`.", names::WRITTEN_BY, set.package));
    file.verbatim("// A build without any transport uses little of this.\n#![allow(dead_code)]\n");
    let used = match set.routes.is_empty() {
        true => quote!(Node, Route, Table),
        false => quote!(Leaf, Node, Route, Table),
    };
    let duration = set.routes.iter().any(|r| r.timeout.is_some()).then(|| {
        quote!(
            use std::time::Duration;
        )
    });
    if duration.is_some() {
        file.group(quote!(#duration));
    }
    file.group(quote!(use polywire::codegen::{#used};));
    for transport in transport::ALL {
        file.verbatim(&format!(
            "polywire::{}! {{\n    mod {}; // gone? Run `{}`\n}}\n",
            transport.guard,
            transport.name,
            names::COMMAND
        ));
    }
    for (name, digest) in &application.fragments {
        file.item(assertion(name, *digest));
    }
    for item in application_type(set, application) {
        file.item(item);
    }
    if !set.routes.is_empty() {
        file.item(places(set));
    }
    file.item(routes(set));
    for item in node::emit(set) {
        file.item(item);
    }
    file.item(table(set));
    file.item(super::options(set));
    file.verbatim(&super::fingerprints(set));
    file.finish()
}

/// That a fragment is still what this file was generated from.
fn assertion(name: &str, digest: u64) -> TokenStream {
    let message = names::fragment_changed(name);
    let (name, digest) = (ident(name), super::hash(digest));
    let (module, constant) = (ident(names::MODULE), ident(names::DIGEST));
    quote!(
        const _: () = assert!(::#name::#module::#constant == #digest, #message);
    )
}

fn application_type(set: &RouteSet, application: &Application) -> [TokenStream; 2] {
    let doc = format!(
        " The application: what stands around and behind its {}.",
        super::count(&set.routes)
    );
    let chain = application
        .chain
        .clone()
        .unwrap_or_else(|| quote!(polywire::DefaultChain));
    let state_field = application.state.as_ref().map(|ty| quote!(state: #ty,));
    let chain_parameter = application.chain.as_ref().map(|ty| quote!(chain: #ty,));
    let state_parameter = application.state.as_ref().map(|ty| quote!(state: #ty,));
    let chain_value = match application.chain {
        Some(_) => quote!(chain,),
        None => quote!(chain: polywire::DefaultChain::default(),),
    };
    let state_value = application.state.as_ref().map(|_| quote!(state,));
    let new = match (&application.chain, &application.state) {
        (None, None) => " The default chain, and no state.",
        (None, Some(_)) => " The default chain, and the state that handlers borrow.",
        (Some(_), None) => " The chain around every handler, and no state.",
        (Some(_), Some(_)) => " The chain around every handler, and the state that handlers borrow.",
    };
    [
        quote! {
            #[doc = #doc]
            pub struct Routes {
                chain: #chain,
                #state_field
            }
        },
        quote! {
            impl Routes {
                #[doc = #new]
                pub fn new(#chain_parameter #state_parameter) -> Self {
                    Self { #chain_value #state_value }
                }
            }
        },
    ]
}

/// A constant per route: its place in `ROUTES`, whatever `cfg` leaves out before it.
fn places(set: &RouteSet) -> TokenStream {
    let always = set.routes.iter().filter(|r| r.condition.is_always()).count();
    let mut earlier: Vec<(&Condition, usize)> = Vec::new();
    let mut constants = Vec::new();
    for (at, route) in set.routes.iter().enumerate() {
        let name = ident(&route.constant);
        let cfg = route.condition.attribute();
        let value = if route.condition.is_always() {
            let at = number(at);
            quote!(#at)
        } else {
            // Routes under the same condition are here whenever this one is; those under others count if they are.
            match earlier.last_mut() {
                Some((condition, count)) if condition.to_string() == route.condition.to_string() => *count += 1,
                _ => earlier.push((&route.condition, 1)),
            }
            let (own, others) = earlier.split_last().expect("one was pushed");
            let fixed = number(always + own.1 - 1);
            let others = others
                .iter()
                .filter(|(other, _)| !other.excludes(&route.condition))
                .map(|(other, count)| {
                    let predicate = other.predicate().tokens();
                    match count {
                        1 => quote!(cfg!(#predicate) as usize),
                        n => {
                            let n = number(*n);
                            quote!(#n * cfg!(#predicate) as usize)
                        }
                    }
                });
            quote!(#fixed #(+ #others)*)
        };
        constants.push(quote!(#cfg pub(super) const #name: usize = #value;));
    }
    quote! {
        /// Where each route stands in `ROUTES`.
        mod at {
            #(#constants)*
        }
    }
}

fn number(value: usize) -> proc_macro2::Literal {
    super::number(value as u64)
}

fn routes(set: &RouteSet) -> TokenStream {
    let entries = set.routes.iter().map(|route| {
        let cfg = route.condition.attribute();
        let entry = entry(route);
        quote!(#cfg #entry)
    });
    quote! {
        /// Every route, by pattern and method.
        static ROUTES: &[Route] = &[#(#entries),*];
    }
}

fn entry(route: &Route) -> TokenStream {
    let Route {
        name,
        method,
        pattern,
        handler,
        ..
    } = route;
    let params = route.params();
    let params = (!params.is_empty()).then(|| quote!(.with_params(&[#(#params),*])));
    let body_limit = route.body_limit.map(|bytes| {
        let bytes = super::number(bytes);
        quote!(.with_body_limit(#bytes))
    });
    let timeout = route.timeout.map(|timeout| {
        let timeout = super::duration(timeout);
        quote!(.with_timeout(#timeout))
    });
    quote!(Route::new(#name, #method, #pattern, #handler) #params #body_limit #timeout)
}

fn table(set: &RouteSet) -> TokenStream {
    let methods = set.tree.methods.iter().map(|method| {
        let mut users = set.routes.iter().filter(|r| r.method == *method);
        // Known to the server if any build knows it: a route that is compiled out turns 501 into 404, and no more.
        let only = match (users.next(), users.next()) {
            (Some(route), None) => route.condition.attribute(),
            _ => TokenStream::new(),
        };
        quote!(#only #method)
    });
    quote! {
        /// What the transport asks which route a request is for.
        static TABLE: Table = Table::new(ROUTES, &ROOT, &[#(#methods),*]);
    }
}
