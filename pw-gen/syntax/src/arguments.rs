//! A handler's arguments together, and beside the pattern: who takes the parameters, who takes the body.

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{GenericArgument, Lifetime, Pat, PathArguments, Type, TypePath, TypeReference};

use crate::Pattern;
use crate::argument::{Argument, ArgumentKind, PathShape, VALUES, is_plain};
use crate::errors::Errors;
use crate::signature::Frame;

/// The longest tuple that `pw_core` can make of parameters.
const MAX_TUPLE: usize = 8;

/// Reads every argument, then how they go together. `pattern` is there if it was right.
pub(crate) fn check(frame: &Frame<'_>, pattern: Option<&Pattern>, errors: &mut Errors) -> Vec<Argument> {
    let before = errors.len();
    let mut arguments: Vec<Argument> = frame
        .inputs
        .iter()
        .filter_map(|input| Argument::check(input, frame.exchange, errors))
        .collect();
    if errors.len() > before {
        // What is missing or last can't be said while an argument is unknown.
        return arguments;
    }
    for argument in &arguments {
        borrowed(argument, errors);
    }
    exchange(frame, &arguments, errors);
    body(&arguments, errors);
    if let Some(pattern) = pattern {
        params(&arguments, pattern, errors);
    }
    if !arguments.iter().any(|a| matches!(a.kind(), ArgumentKind::Exchange))
        && let Some(last) = arguments.last_mut()
    {
        last.set_last();
    }
    arguments
}

fn exchange(frame: &Frame<'_>, arguments: &[Argument], errors: &mut Errors) {
    let mut exchanges = arguments.iter().filter(|a| matches!(a.kind(), ArgumentKind::Exchange));
    let first = exchanges.next();
    for second in exchanges {
        errors.on(
            second.ty(),
            "must take its exchange once",
            "remove this one; `cx.split()` gives the body and the reply apart",
        );
    }
    if let (Some(exchange), None) = (frame.exchange, first) {
        errors.at(
            exchange.span(),
            format_args!("must take its exchange: nothing else says what `{exchange}` is"),
            format_args!("add `cx: &mut {exchange}`; to read the request's head alone, take `&impl RequestHead`"),
        );
    }
}

/// What a request has ends with the request.
fn borrowed(argument: &Argument, errors: &mut Errors) {
    let (found, owned) = match (argument.kind(), argument.ty()) {
        (ArgumentKind::Path(_), ty) => (Static::within(ty), "own what must live on: `Path<String>`"),
        (ArgumentKind::State, Type::Path(path)) => (Static::in_path(path), "clone what must live on"),
        (ArgumentKind::Body, Type::Reference(of)) => (of.lifetime.as_ref(), "own what must live on: `Vec<u8>`"),
        (ArgumentKind::Head | ArgumentKind::Exchange, Type::Reference(of)) => {
            (of.lifetime.as_ref(), "copy what must live on")
        }
        _ => return,
    };
    if let Some(lifetime) = found.filter(|lifetime| lifetime.ident == "static") {
        errors.on(
            lifetime,
            "must not borrow for longer than the request lasts",
            format_args!("leave the lifetime out (`&`, `'_`), or {owned}"),
        );
    }
}

fn body(arguments: &[Argument], errors: &mut Errors) {
    let bodies: Vec<(usize, &Argument)> = arguments
        .iter()
        .enumerate()
        .filter(|(_, a)| matches!(a.kind(), ArgumentKind::Body))
        .collect();
    let exchange = arguments.iter().any(|a| matches!(a.kind(), ArgumentKind::Exchange));
    match bodies[..] {
        [] => {}
        [(_, body), ..] if exchange => errors.on(
            body.ty(),
            format_args!(
                "must not take its body as `{}` beside its exchange, which has the body",
                text(body.ty())
            ),
            "remove this argument and read the body with `cx.body().read(limit).await?`, or remove the exchange",
        ),
        [(at, body)] if at + 1 < arguments.len() => errors.on(
            body.ty(),
            format_args!(
                "must have `{}` as its last argument: the body is read once the head was found good",
                text(body.ty())
            ),
            "move it to the end",
        ),
        [_] => {}
        [(_, first), ref more @ ..] => {
            for (_, second) in more {
                errors.on(
                    second.ty(),
                    format_args!("must take its body once: `{}` takes it already", text(first.ty())),
                    "remove one of the two; a type of your own that implements `FromBody` can hold both",
                );
            }
        }
    }
}

fn params(arguments: &[Argument], pattern: &Pattern, errors: &mut Errors) {
    let names = pattern.params();
    let mut paths = arguments.iter().filter_map(|argument| match argument.kind() {
        ArgumentKind::Path(shape) => Some((argument, shape)),
        _ => None,
    });
    let Some((path, shape)) = paths.next() else {
        untaken(arguments, pattern, &names, errors);
        return;
    };
    let mut once = true;
    for (second, _) in paths {
        once = false;
        errors.on(
            second.ty(),
            "must have one `Path`: it takes all parameters",
            format_args!("write `{}`", example(&names)),
        );
    }
    if names.is_empty() {
        errors.on(
            path.ty(),
            format_args!("must not take a `Path`: its pattern `{pattern}` has no parameter"),
            "remove the argument, or name a parameter in the pattern: `/users/{id}`",
        );
    } else if once {
        taken(path, shape, &names, errors);
    }
}

/// A `Path` and the parameters it takes.
fn taken(path: &Argument, shape: &PathShape, names: &[&str], errors: &mut Errors) {
    let count = names.len();
    let listed = list(names);
    match shape {
        PathShape::Tuple(types) if types.len() != count => errors.on(
            path.ty(),
            format_args!(
                "must take all parameters of its pattern ({listed}): this tuple has {}",
                types.len()
            ),
            format_args!("write `{}`", example(names)),
        ),
        PathShape::Tuple(types) if types.len() > MAX_TUPLE => errors.on(
            path.ty(),
            format_args!("must not take more than {MAX_TUPLE} parameters as a tuple"),
            "write a struct with `#[derive(PathParams)]` and a field for each",
        ),
        PathShape::Tuple(_) => order(path, names, errors),
        PathShape::Value(ty) if count > 1 => errors.on(
            path.ty(),
            format_args!(
                "must take all parameters of its pattern ({listed}): `{}` is one value",
                text(ty)
            ),
            format_args!("write `{}`, or a struct with `#[derive(PathParams)]`", example(names)),
        ),
        PathShape::Value(_) | PathShape::Open(_) => {}
    }
}

/// `Path((slug, id))` beside `/{id}/{slug}` is a slip that types need not show.
fn order(path: &Argument, names: &[&str], errors: &mut Errors) {
    let Some(Pat::Tuple(pattern)) = path.bound() else {
        return;
    };
    let bound: Option<Vec<String>> = pattern
        .elems
        .iter()
        .map(|element| match element {
            Pat::Ident(name) => Some(name.ident.to_string()),
            _ => None,
        })
        .collect();
    let Some(bound) = bound else { return };
    let (mut sorted, mut wanted) = (bound.clone(), names.to_vec());
    sorted.sort();
    wanted.sort_unstable();
    if sorted == wanted && bound != names {
        errors.on(
            pattern,
            format_args!("must take its parameters in the order of its pattern ({})", list(names)),
            format_args!(
                "write `Path(({}))` and put the types in that order too",
                names.join(", ")
            ),
        );
    }
}

/// There is no `Path`: something else must be able to read the parameters.
fn untaken(arguments: &[Argument], pattern: &Pattern, names: &[&str], errors: &mut Errors) {
    let mut bare = false;
    for argument in arguments {
        let Some(name) = argument.name().map(ToString::to_string) else {
            continue;
        };
        if names.contains(&&*name) && is_value(argument) {
            bare = true;
            let ty = text(argument.ty());
            errors.on(
                argument.ty(),
                format_args!(
                    "must take the parameter `{name}` through `Path`: `{ty}` by itself {}",
                    by_itself(argument)
                ),
                match names {
                    [_] => format!("write `Path({name}): Path<{ty}>`"),
                    _ => format!("write `{}`", example(names)),
                },
            );
        }
    }
    let readable = arguments.iter().any(|argument| match argument.kind() {
        ArgumentKind::Head | ArgumentKind::Exchange => true,
        // A type of the application's own may read parameters from the head.
        ArgumentKind::Other => !is_value(argument),
        _ => false,
    });
    if !bare && !readable && !names.is_empty() {
        let (noun, verb) = if names.len() == 1 {
            ("parameter", "it")
        } else {
            ("parameters", "them")
        };
        errors.at(
            pattern.span(),
            format_args!("must take the {noun} of its pattern: no argument reads {}", list(names)),
            format_args!(
                "add `{}`, or `head: &impl RequestHead` to read {verb} by name",
                example(names)
            ),
        );
    }
}

/// What a plain type means without `Path` around it.
fn by_itself(argument: &Argument) -> &'static str {
    match argument.kind() {
        ArgumentKind::Body => "is the request's body",
        _ => "is nothing that a request has",
    }
}

/// Whether an argument is a plain value or text, which no request has but in its path or as its body.
fn is_value(argument: &Argument) -> bool {
    let text = |ty: &Type| matches!(ty, Type::Reference(r) if is_plain(&r.elem, "str"));
    VALUES.iter().any(|value| is_plain(argument.ty(), value)) || text(argument.ty())
}

/// `Path((id, slug)): Path<(u64, &str)>`, with types to be filled in.
fn example(names: &[&str]) -> String {
    match names {
        [] => "Path(id): Path<u64>".to_owned(),
        [name] => format!("Path({name}): Path<..>"),
        names if names.len() > MAX_TUPLE => "Path(path): Path<MyPath>".to_owned(),
        names => format!(
            "Path(({})): Path<({})>",
            names.join(", "),
            vec![".."; names.len()].join(", ")
        ),
    }
}

/// `a`, `b` and `c`.
fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &*quoted {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A type as a person would write it.
fn text(ty: &Type) -> String {
    let mut out = String::new();
    for token in ty.to_token_stream().to_string().split_whitespace() {
        let glued = out.ends_with(['<', '(', '[', '&', ':', '\'']) || out.is_empty();
        let closes = token.starts_with(['>', ')', ']', ',', ':', '<', ';']);
        if !glued && !closes {
            out.push(' ');
        }
        out.push_str(token);
    }
    out
}

/// Finds `&'static` in a type.
struct Static<'t>(Option<&'t Lifetime>);

impl<'t> Static<'t> {
    fn within(ty: &'t Type) -> Option<&'t Lifetime> {
        let mut search = Self(None);
        search.visit_type(ty);
        search.0
    }

    /// `State<'static, App>`, but not `State<'_, App<'static>>`.
    fn in_path(path: &'t TypePath) -> Option<&'t Lifetime> {
        let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Lifetime(lifetime) => Some(lifetime),
            _ => None,
        })
    }
}

impl<'t> Visit<'t> for Static<'t> {
    fn visit_type_reference(&mut self, found: &'t TypeReference) {
        if let Some(lifetime) = found.lifetime.as_ref().filter(|l| l.ident == "static") {
            self.0.get_or_insert(lifetime);
        }
        visit::visit_type_reference(self, found);
    }
}
