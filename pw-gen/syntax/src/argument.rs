//! What an argument is, known by how its type is written: the generator runs no compiler.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{GenericArgument, Ident, Pat, PatType, Path, PathArguments, Type, TypeParamBound, TypeReference};

use crate::errors::Errors;

/// One argument of a handler.
#[derive(Clone, Debug)]
pub struct Argument {
    name: Option<Ident>,
    ty: Type,
    kind: ArgumentKind,
    bound: Option<Pat>,
}

/// Where an argument comes from. The last segment of its type decides: `Json<T>` and `polywire::Json<T>` are one.
#[derive(Clone, Debug)]
pub enum ArgumentKind {
    /// `Path<..>`: the parameters of the path.
    Path(PathShape),
    /// `Query<..>`: the query.
    Query,
    /// `State<'_, ..>`: the application's state.
    State,
    /// `&impl RequestHead`, `&E::Head`: the head itself.
    Head,
    /// `&mut impl Exchange`, `&mut impl Upgrade`, `&mut E`: the exchange itself, which has the body.
    Exchange,
    /// `Json<..>`, `&[u8]`, `&str`, `String`, `Bytes`, `Vec<u8>`: the body. Always last, never beside
    /// [`Exchange`](Self::Exchange).
    Body,
    /// Any other type that is not last, or stands beside the exchange: it implements `FromHead`.
    Other,
    /// Any other type that is last: it implements `FromHead` or `FromBody`, and the compiler knows which.
    Last,
}

/// What stands in `Path<..>`.
#[derive(Clone, Debug)]
pub enum PathShape {
    /// `Path<(A, B)>`: a value per parameter, as many as the pattern has.
    Tuple(Vec<Type>),
    /// `Path<u64>`: a type that is known to be one value; the pattern has one parameter.
    Value(Box<Type>),
    /// `Path<UserPath>`: a type that may be one value or a struct of the parameters. The latter if the pattern has more
    /// than one.
    Open(Box<Type>),
}

impl Argument {
    /// The name it has in the signature, if it is one: `head` of `head: &impl RequestHead`.
    pub fn name(&self) -> Option<&Ident> {
        self.name.as_ref()
    }

    /// Its type, as written.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// Where it comes from.
    pub fn kind(&self) -> &ArgumentKind {
        &self.kind
    }

    /// What it borrows, if that is the state or a part of it: `App` of `State<'_, App>`.
    pub fn state(&self) -> Option<&Type> {
        let (ArgumentKind::State, Type::Path(path)) = (&self.kind, &self.ty) else {
            return None;
        };
        let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Type(ty) => Some(ty),
            _ => None,
        })
    }

    /// Where its type was written.
    pub fn span(&self) -> Span {
        self.ty.span()
    }

    /// The pattern inside `Path(..)` that takes it apart.
    pub(crate) fn bound(&self) -> Option<&Pat> {
        self.bound.as_ref()
    }

    /// Whether it is, or may be, made from the body.
    pub fn may_take_body(&self) -> bool {
        matches!(self.kind, ArgumentKind::Body | ArgumentKind::Last)
    }

    /// Reads an argument by itself. Where it stands is looked at later.
    pub(crate) fn check(input: &PatType, exchange: Option<&Ident>, errors: &mut Errors) -> Option<Self> {
        let kind = kind(&input.ty, exchange, errors)?;
        if !matches!(kind, ArgumentKind::Head | ArgumentKind::Exchange)
            && let Some(found) = ImplTrait::within(&input.ty)
        {
            errors.on(
                found,
                "must name the types of its arguments: nobody says what this `impl` is",
                "write the type itself; what may be an `impl` is `&impl RequestHead` and `&mut impl Exchange`",
            );
            return None;
        }
        let name = match &*input.pat {
            Pat::Ident(pat) => Some(pat.ident.clone()),
            _ => None,
        };
        let bound = match &*input.pat {
            Pat::TupleStruct(pat) if pat.elems.len() == 1 => pat.elems.first().cloned(),
            _ => None,
        };
        let ty = peel(&input.ty).clone();
        Some(Self { name, ty, kind, bound })
    }

    pub(crate) fn set_last(&mut self) {
        if matches!(self.kind, ArgumentKind::Other) {
            self.kind = ArgumentKind::Last;
        }
    }
}

fn kind(ty: &Type, exchange: Option<&Ident>, errors: &mut Errors) -> Option<ArgumentKind> {
    match peel(ty) {
        Type::Reference(reference) => borrowed(reference, exchange, errors),
        Type::ImplTrait(of) => {
            unborrowed(ty, Capability::of(&of.bounds), errors);
            None
        }
        Type::Path(path) if exchange.is_some_and(|e| path.path.is_ident(e)) => {
            let help = format!("write `&mut {}`", exchange.expect("it was compared"));
            errors.on(ty, "must borrow its exchange", help);
            None
        }
        Type::Path(path) => named(ty, &path.path, errors),
        Type::Infer(_) => {
            errors.on(ty, "must name the types of its arguments", "write the type itself");
            None
        }
        _ => Some(ArgumentKind::Other),
    }
}

fn named(ty: &Type, path: &Path, errors: &mut Errors) -> Option<ArgumentKind> {
    let Some(segment) = path.segments.last() else {
        return Some(ArgumentKind::Other);
    };
    let types: Vec<&Type> = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    let mut one = |example: &str| match types[..] {
        [ty] => Some(ty),
        _ => {
            let name = &segment.ident;
            errors.on(
                ty,
                format_args!("must say what its `{name}` holds: one type"),
                format_args!("write `{example}`"),
            );
            None
        }
    };
    Some(match &*segment.ident.to_string() {
        "Path" => ArgumentKind::Path(shape(one("Path(id): Path<u64>")?, errors)?),
        "Query" => {
            one("Query(search): Query<Search>")?;
            ArgumentKind::Query
        }
        "State" => {
            one("State(app): State<'_, App>")?;
            ArgumentKind::State
        }
        "Json" => {
            one("Json(order): Json<Order>")?;
            ArgumentKind::Body
        }
        "String" | "Bytes" if types.is_empty() => ArgumentKind::Body,
        "Vec" if matches!(types[..], [ty] if is_plain(ty, "u8")) => ArgumentKind::Body,
        _ => ArgumentKind::Other,
    })
}

fn shape(ty: &Type, errors: &mut Errors) -> Option<PathShape> {
    match peel(ty) {
        Type::Tuple(tuple) if tuple.elems.is_empty() => {
            errors.on(
                ty,
                "must take something out of its `Path`",
                "write `Path(id): Path<u64>`",
            );
            None
        }
        Type::Tuple(tuple) => Some(PathShape::Tuple(tuple.elems.iter().cloned().collect())),
        ty @ Type::Reference(_) => Some(PathShape::Value(Box::new(ty.clone()))),
        ty if VALUES.iter().any(|value| is_plain(ty, value)) => Some(PathShape::Value(Box::new(ty.clone()))),
        ty => Some(PathShape::Open(Box::new(ty.clone()))),
    }
}

/// Types that can be nothing but one value.
pub(crate) const VALUES: [&str; 17] = [
    "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "bool", "char", "f32",
    "f64", "String",
];

fn borrowed(reference: &TypeReference, exchange: Option<&Ident>, errors: &mut Errors) -> Option<ArgumentKind> {
    let mutable = reference.mutability.is_some();
    let (found, how) = match peel(&reference.elem) {
        Type::ImplTrait(of) => (Capability::of(&of.bounds), "impl"),
        Type::TraitObject(of) => {
            let found = Capability::of(&of.bounds);
            if found == Capability::None {
                return other_borrowed(reference, errors);
            }
            unborrowed(reference, found, errors);
            return None;
        }
        Type::Path(path) => match (exchange, path.path.segments.first(), path.path.segments.last()) {
            (Some(e), Some(_), Some(_)) if path.path.is_ident(e) => (Capability::Exchange, "E"),
            (Some(e), Some(first), Some(last)) if path.qself.is_some() || first.ident == *e => {
                if last.ident != "Head" {
                    let what = format_args!("must take its exchange whole: `{}` is a part of it", last.ident);
                    errors.on(
                        reference,
                        what,
                        format_args!("write `cx: &mut {e}` and take the parts with `cx.split()`"),
                    );
                    return None;
                }
                (Capability::Head, "E::Head")
            }
            (_, _, Some(last)) if last.ident == "str" && !mutable => return Some(ArgumentKind::Body),
            _ => return other_borrowed(reference, errors),
        },
        Type::Slice(slice) if !mutable && is_plain(&slice.elem, "u8") => return Some(ArgumentKind::Body),
        _ => return other_borrowed(reference, errors),
    };
    match (found, mutable) {
        (Capability::Exchange, true) => Some(ArgumentKind::Exchange),
        (Capability::Head, false) => Some(ArgumentKind::Head),
        (Capability::Exchange, false) => {
            let help = match (how, exchange) {
                ("E", Some(e)) => format!("write `&mut {e}`; to read the request's head alone, `&impl RequestHead`"),
                _ => "write `&mut impl Exchange`; to read the request's head alone, `&impl RequestHead`".to_owned(),
            };
            errors.on(
                reference,
                "must borrow its exchange mutably: it is there to be read from and written to",
                help,
            );
            None
        }
        (Capability::Head, true) => {
            errors.on(
                reference,
                "must not borrow the head mutably: it is read-only to handlers",
                "write `&impl RequestHead`; for the body and the answer, `&mut impl Exchange`",
            );
            None
        }
        (Capability::None, _) => {
            unborrowed(reference, found, errors);
            None
        }
    }
}

fn other_borrowed(reference: &TypeReference, errors: &mut Errors) -> Option<ArgumentKind> {
    if reference.mutability.is_none() {
        return Some(ArgumentKind::Other);
    }
    errors.on(
        reference,
        "must not borrow this mutably: requests run side by side",
        "the one thing that is borrowed so is the exchange, `&mut impl Exchange`; state is `State<'_, App>`, with a lock inside",
    );
    None
}

/// An `impl` or `dyn` that can't stand as it does.
fn unborrowed(tokens: &impl quote::ToTokens, found: Capability, errors: &mut Errors) {
    match found {
        Capability::Exchange => errors.on(tokens, "must take its exchange as `&mut impl Exchange`", "write `cx: &mut impl Exchange`"),
        Capability::Head => errors.on(tokens, "must take the head as `&impl RequestHead`", "write `head: &impl RequestHead`"),
        Capability::None => errors.on(
            tokens,
            "must name the types of its arguments: nobody says what this `impl` is",
            "write the type itself; what may be an `impl` is `&impl RequestHead` and `&mut impl Exchange`, or `&mut impl Upgrade` \
             where the connection is taken over",
        ),
    }
}

/// What an `impl` stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Capability {
    Exchange,
    Head,
    None,
}

impl Capability {
    fn of<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>) -> Self {
        let mut found = Self::None;
        for bound in bounds {
            if exchange_bound(bound) {
                return Self::Exchange;
            }
            if matches!(bound, TypeParamBound::Trait(of) if last_name(&of.path).is_some_and(|name| name == "RequestHead"))
            {
                found = Self::Head;
            }
        }
        found
    }
}

/// What an exchange is asked for as: `Exchange`, or one of the traits below it that only some transports have.
const EXCHANGES: [&str; 2] = ["Exchange", "Upgrade"];

/// Whether a bound is the exchange's.
pub(crate) fn exchange_bound(bound: &TypeParamBound) -> bool {
    matches!(bound, TypeParamBound::Trait(of) if last_name(&of.path).is_some_and(|name| EXCHANGES.iter().any(|one| name == one)))
}

/// The last name of a path.
pub(crate) fn last_name(path: &Path) -> Option<&Ident> {
    path.segments.last().map(|segment| &segment.ident)
}

/// Whether a type is this name and nothing more, such as `u8`.
pub(crate) fn is_plain(ty: &Type, name: &str) -> bool {
    matches!(peel(ty), Type::Path(path) if path.qself.is_none()
        && path.path.segments.last().is_some_and(|last| last.ident == name && last.arguments.is_none()))
}

/// A type without parentheses and the invisible groups of `macro_rules!`.
pub(crate) fn peel(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            ty => return ty,
        };
    }
}

/// Finds an `impl Trait` in a type.
struct ImplTrait<'t>(Option<&'t syn::TypeImplTrait>);

impl<'t> ImplTrait<'t> {
    fn within(ty: &'t Type) -> Option<&'t syn::TypeImplTrait> {
        let mut search = Self(None);
        search.visit_type(ty);
        search.0
    }
}

impl<'t> Visit<'t> for ImplTrait<'t> {
    fn visit_type_impl_trait(&mut self, found: &'t syn::TypeImplTrait) {
        self.0.get_or_insert(found);
        visit::visit_type_impl_trait(self, found);
    }
}
