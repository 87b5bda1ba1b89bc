//! Assertions about types, so that a type that can't be where it stands is reported there and not in generated code.
//!
//! They are written with the user's own tokens, so that the compiler points at them. A check that could be wrong is not
//! made: types that hold `impl`, `Self`, a macro, the exchange, or lifetimes of their own.

use proc_macro2::{Span, TokenStream, TokenTree};
use pw_syntax::{Argument, ArgumentKind, PathShape, Route};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Ident, Lifetime, ReturnType, Type};

use crate::route::handler;

/// The names in a pattern are those of the struct that takes them.
pub(crate) fn names(route: &Route) -> Option<TokenStream> {
    let (argument, shape) = route.arguments().iter().find_map(|argument| match argument.kind() {
        ArgumentKind::Path(shape) => Some((argument, shape)),
        _ => None,
    })?;
    let PathShape::Open(ty) = shape else { return None };
    let at = at(argument.ty());
    let named = Borrowing::replace(ty, "'static", route.exchange_param())?;
    let names = route.pattern().params();
    let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let otherwise = format!(
        "route `{}` must have the same names in its pattern and in the struct of its `Path`: the pattern has {}",
        handler(route.handler()),
        listed.join(", "),
    );
    // A single parameter may go to a type that is one value and has no names.
    let found = match names.len() {
        1 => quote_spanned!(at=> {
            #[allow(unused_imports)]
            use ::polywire::codegen::NoNames as _;
            ::polywire::codegen::Names::<#named>::NAMES
        }),
        _ => quote!(<#named as ::polywire::codegen::NamedParams>::NAMES),
    };
    let same = match names.len() {
        1 => quote!(same_names_if_any),
        _ => quote!(same_names),
    };
    Some(quote_spanned! {at=>
        ::core::assert!(::polywire::codegen::#same(#found, &[#(#names),*]), #otherwise);
    })
}

/// The arguments and the answer implement what they must.
pub(crate) fn types(route: &Route) -> TokenStream {
    let arguments = route.arguments().iter().flat_map(|a| argument(a, route));
    let output = output(route);
    quote! {
        fn _types<'request>(_head: &'request impl ::polywire::codegen::RequestHead) {
            #(#arguments)*
            #output
        }
    }
}

/// A qualified path is asked for rather than a function called: the compiler then says no more than that the trait is
/// missing, and where.
fn argument(argument: &Argument, route: &Route) -> Vec<TokenStream> {
    let (types, implemented): (Vec<&Type>, [TokenStream; 2]) = match argument.kind() {
        ArgumentKind::Head | ArgumentKind::Exchange | ArgumentKind::State => return Vec::new(),
        ArgumentKind::Path(PathShape::Tuple(types)) => (
            types.iter().collect(),
            [quote!(FromParam<'request>), quote!(from_param)],
        ),
        ArgumentKind::Path(PathShape::Value(ty) | PathShape::Open(ty)) => {
            (vec![ty], [quote!(FromParams<'request>), quote!(from_params)])
        }
        ArgumentKind::Query | ArgumentKind::Other => (
            vec![argument.ty()],
            [quote!(FromHead<'request>), quote!(from_head(_head))],
        ),
        ArgumentKind::Body => (vec![argument.ty()], [quote!(FromBody<'request>), quote!(from_body)]),
        ArgumentKind::Last => (vec![argument.ty()], [quote!(FromLast<'request, _>), quote!(IS_LAST)]),
    };
    types
        .into_iter()
        .filter_map(|ty| check(ty, route, &implemented))
        .collect()
}

fn output(route: &Route) -> Option<TokenStream> {
    match route.output() {
        ReturnType::Default => None,
        ReturnType::Type(_, ty) if matches!(**ty, Type::Never(_)) => None,
        ReturnType::Type(_, ty) => check(ty, route, &[quote!(Respond), quote!(respond)]),
    }
}

fn check(ty: &Type, route: &Route, [of, item]: &[TokenStream; 2]) -> Option<TokenStream> {
    let at = at(ty);
    let ty = Borrowing::replace(ty, LIFETIME, route.exchange_param())?;
    let (of, item) = (placed(of, at), placed(item, at));
    Some(quote_spanned!(at=> _ = <#ty as ::polywire::codegen::#of>::#item;))
}

/// Where something stands, for code that nobody wrote: lints then leave it alone.
fn at(written: impl Spanned) -> Span {
    Span::call_site().located_at(written.span())
}

/// The same tokens at another place; the compiler draws an error from the first to the last of an expression.
fn placed(tokens: &TokenStream, at: Span) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    for token in &mut tokens {
        token.set_span(at);
    }
    tokens.into_iter().collect()
}

const LIFETIME: &str = "'request";

/// Puts one lifetime in the place of all that a signature names or leaves out.
struct Borrowing<'e> {
    lifetime: &'static str,
    exchange: Option<&'e Ident>,
    possible: bool,
}

impl Borrowing<'_> {
    /// The type with `lifetime` for every lifetime but `'static`; `None` where that could change its meaning.
    fn replace(ty: &Type, lifetime: &'static str, exchange: Option<&Ident>) -> Option<Type> {
        let mut replaced = ty.clone();
        let mut borrowing = Borrowing {
            lifetime,
            exchange,
            possible: true,
        };
        borrowing.visit_type_mut(&mut replaced);
        borrowing.possible.then_some(replaced)
    }

    fn lifetime(&self, at: Span) -> Lifetime {
        Lifetime::new(self.lifetime, at)
    }
}

impl VisitMut for Borrowing<'_> {
    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if lifetime.ident != "static" {
            *lifetime = self.lifetime(lifetime.span());
        }
    }

    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        if reference.lifetime.is_none() {
            reference.lifetime = Some(self.lifetime(reference.and_token.span()));
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        let first = path.segments.first().map(|segment| &segment.ident);
        if first.is_some_and(|first| first == "Self" || Some(first) == self.exchange) {
            self.possible = false;
        }
        visit_mut::visit_path_mut(self, path);
    }

    fn visit_type_mut(&mut self, ty: &mut Type) {
        match ty {
            Type::ImplTrait(_) | Type::FnPtr(_) | Type::Macro(_) | Type::Infer(_) => {
                self.possible = false;
            }
            Type::Verbatim(_) => self.possible = false,
            _ => visit_mut::visit_type_mut(self, ty),
        }
    }

    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut syn::ParenthesizedGenericArguments) {
        self.possible = false;
    }
}
