//! What a handler's signature must be, apart from its arguments: a free `async fn`, generic over lifetimes and at most
//! over the exchange.

use syn::punctuated::Punctuated;
use syn::{
    FnArg, GenericParam, Generics, Ident, PatType, Safety, Signature, Token, TypeParam, TypeParamBound, WherePredicate,
};

use crate::argument::{exchange_bound, last_name};
use crate::errors::Errors;

/// A signature that was checked but for its arguments.
pub(crate) struct Frame<'s> {
    /// The type parameter that stands for the exchange.
    pub(crate) exchange: Option<&'s Ident>,
    /// The arguments, none of them `self`.
    pub(crate) inputs: Vec<&'s PatType>,
}

impl<'s> Frame<'s> {
    /// Looks at everything but the types of the arguments.
    pub(crate) fn check(signature: &'s Signature, errors: &mut Errors) -> Self {
        qualifiers(signature, errors);
        let exchange = generics(&signature.generics, errors);
        let mut inputs = Vec::new();
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(receiver) => errors.on(
                    receiver,
                    "must be a free function: the generated code has no `self` to call it on",
                    "move it out of its `impl`, and take what it needs as `State(app): State<'_, App>`",
                ),
                FnArg::Typed(input) => {
                    attributes(input, errors);
                    inputs.push(input);
                }
            }
        }
        Self { exchange, inputs }
    }
}

fn qualifiers(signature: &Signature, errors: &mut Errors) {
    if let Some(constness) = signature.constness {
        errors.on(
            constness,
            "must be an `async fn`, not a `const fn`",
            "write `async` in its place",
        );
    } else if signature.asyncness.is_none() {
        let name = &signature.ident;
        errors.on(
            signature.fn_token,
            "must be an `async fn`",
            format_args!("write `async fn {name}`; it need not await anything"),
        );
    }
    if let Safety::Unsafe(token) = signature.safety {
        errors.on(
            token,
            "must not be `unsafe`: generated code can keep no promise about its arguments",
            "make it safe, with the `unsafe` block and its reason inside",
        );
    }
    if let Some(abi) = &signature.abi {
        errors.on(abi, "must have Rust's own calling convention", "remove it");
    }
    if let Some(variadic) = &signature.variadic {
        errors.on(
            variadic,
            "must have a fixed number of arguments",
            "remove it; all parameters of a path are `{*rest}` in the pattern",
        );
    }
}

fn generics<'s>(generics: &'s Generics, errors: &mut Errors) -> Option<&'s Ident> {
    let mut exchange: Option<&Ident> = None;
    for param in &generics.params {
        match param {
            GenericParam::Lifetime(_) => {}
            GenericParam::Const(param) => errors.on(
                &param.ident,
                format_args!(
                    "must not be generic over the constant `{}`: nobody says what it is",
                    param.ident
                ),
                "write the value, or one thin handler per value that calls a common function",
            ),
            GenericParam::Type(param) => {
                if let Some(first) = exchange {
                    errors.on(
                        &param.ident,
                        format_args!(
                            "must not be generic over more than the exchange `{first}`: nobody says what `{}` is",
                            param.ident
                        ),
                        "write the type itself",
                    );
                } else if bounds(param, generics).any(exchange_bound) {
                    exchange = Some(&param.ident);
                } else {
                    let bounded = |name: &str| {
                        bounds(param, generics)
                            .any(|bound| matches!(bound, TypeParamBound::Trait(t) if last_name(&t.path).is_some_and(|i| i == name)))
                    };
                    let help = if bounded("RequestHead") {
                        "take the head as `head: &impl RequestHead`"
                    } else if bounded("Middleware") || bounded("Next") {
                        "take the exchange as `cx: &mut impl Exchange`; middlewares stand in the application's chain"
                    } else {
                        "write the type itself; the one type a handler may be generic over is its exchange, `<E: Exchange>`"
                    };
                    errors.on(
                        &param.ident,
                        format_args!("must not be generic over `{}`: nobody says what it is", param.ident),
                        help,
                    );
                }
            }
        }
    }
    exchange
}

/// The bounds of a type parameter, those in the `where` clause too.
fn bounds<'g>(param: &'g TypeParam, generics: &'g Generics) -> impl Iterator<Item = &'g TypeParamBound> {
    let clauses = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates)
        .filter_map(move |predicate| match predicate {
            WherePredicate::Type(clause) => match &clause.bounded_ty {
                syn::Type::Path(path) if path.path.is_ident(&param.ident) => Some(&clause.bounds),
                _ => None,
            },
            _ => None,
        });
    std::iter::once(&param.bounds)
        .chain(clauses)
        .flat_map(|bounds: &Punctuated<TypeParamBound, Token![+]>| bounds)
}

fn attributes(input: &PatType, errors: &mut Errors) {
    for attribute in &input.attrs {
        let path = attribute.path();
        if path.is_ident("cfg") || path.is_ident("cfg_attr") {
            errors.on(
                attribute,
                "must have the same arguments in every build: the generator doesn't evaluate `cfg`",
                "write two handlers, each under its `cfg`",
            );
        }
    }
}
