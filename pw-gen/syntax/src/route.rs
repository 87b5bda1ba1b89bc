//! A route: raw as its tokens, then checked.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Meta, ReturnType, Signature};

use crate::argument::{Argument, ArgumentKind};
use crate::attribute::{Piece, pieces};
use crate::errors::Errors;
use crate::fingerprint::Fingerprint;
use crate::options::Options;
use crate::signature::Frame;
use crate::{Method, Pattern, arguments};

/// A route as it was found: an attribute and a signature, nothing of them looked at.
#[derive(Clone, Debug)]
pub struct RawRoute<'s> {
    attribute: TokenStream,
    at: Span,
    signature: &'s Signature,
}

/// A route that is right in itself. Whether it goes with the others is for the generator to say.
#[derive(Clone, Debug)]
pub struct Route {
    name: String,
    name_span: Span,
    method: Method,
    pattern: Pattern,
    body_limit: Option<u64>,
    timeout: Option<Duration>,
    handler: Ident,
    arguments: Vec<Argument>,
    output: ReturnType,
    exchange: Option<Ident>,
    hash: u64,
}

/// Reads the route of one `#[route(..)]` out of a source file.
///
/// # Errors
/// Everything that is wrong with it, combined.
pub fn parse(attribute: &Attribute, signature: &Signature) -> syn::Result<Route> {
    let (tokens, at) = match &attribute.meta {
        Meta::Path(path) => (TokenStream::new(), path.span()),
        Meta::List(list) => (list.tokens.clone(), list.path.span()),
        Meta::NameValue(pair) => {
            let mut errors = Errors::of(subject(&signature.ident));
            errors.on(pair, "must have its attribute in parentheses", EXAMPLE);
            return errors.finish(None);
        }
    };
    RawRoute::new(tokens, at, signature).check()
}

impl<'s> RawRoute<'s> {
    /// A route of the tokens between the parentheses of its attribute. `at` is the place of the attribute, for errors
    /// that have no token of their own.
    pub fn new(attribute: TokenStream, at: Span, signature: &'s Signature) -> Self {
        Self {
            attribute,
            at,
            signature,
        }
    }

    /// Looks at everything.
    ///
    /// # Errors
    /// Everything that is wrong, combined.
    pub fn check(self) -> syn::Result<Route> {
        let handler = &self.signature.ident;
        let mut errors = Errors::of(subject(handler));
        let parts = Parts::check(self.attribute, self.at, &mut errors);
        let frame = Frame::check(self.signature, &mut errors);
        let arguments = arguments::check(&frame, parts.pattern.as_ref(), &mut errors);
        let exchange = frame.exchange.cloned();
        let Parts {
            method: Some(method),
            pattern: Some(pattern),
            options,
        } = parts
        else {
            return errors.finish(None);
        };
        let (name, name_span) = options
            .name
            .unwrap_or_else(|| (handler.unraw().to_string(), handler.span()));
        let mut route = Route {
            name,
            name_span,
            method,
            pattern,
            body_limit: options.body_limit,
            timeout: options.timeout,
            handler: handler.clone(),
            arguments,
            output: self.signature.output.clone(),
            exchange,
            hash: 0,
        };
        route.hash = route.fingerprint();
        errors.finish(Some(route))
    }
}

impl Route {
    /// Its name, unique in an application: that of its function unless the option `name` says otherwise.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its name was written.
    pub fn name_span(&self) -> Span {
        self.name_span
    }

    /// Its method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Its pattern.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Its own limit on a request's body, in bytes; at most 1024 GiB. A route without a body extractor may have one: the
    /// chain may read the body.
    pub fn body_limit(&self) -> Option<u64> {
        self.body_limit
    }

    /// Its own limit on the handler's time, above zero, in whole milliseconds.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Its function.
    pub fn handler(&self) -> &Ident {
        &self.handler
    }

    /// The function's arguments, in order. At most one has the exchange, at most one may take the body, and that one
    /// is last.
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// What the function returns.
    pub fn output(&self) -> &ReturnType {
        &self.output
    }

    /// The type parameter that stands for the exchange in the function's signature. Generated code need not name it.
    pub fn exchange_param(&self) -> Option<&Ident> {
        self.exchange.as_ref()
    }

    /// Whether the function takes the exchange itself.
    pub fn takes_exchange(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| matches!(argument.kind(), ArgumentKind::Exchange))
    }

    /// Whether the last argument is, or may be, made from the body.
    pub fn may_take_body(&self) -> bool {
        self.arguments.last().is_some_and(Argument::may_take_body)
    }

    /// The hash of everything that generated code depends on, but for the module: see
    /// [`fingerprint_in`](crate::fingerprint_in).
    pub fn hash(&self) -> u64 {
        self.hash
    }

    fn fingerprint(&self) -> u64 {
        let number = |n: Option<u128>| n.map_or_else(String::new, |n| n.to_string());
        let mut hash = Fingerprint::default()
            .text(self.method.text())
            .text(self.pattern.text())
            .text(&self.name)
            .text(&number(self.body_limit.map(u128::from)))
            .text(&number(self.timeout.map(|timeout| timeout.as_millis())))
            .text(&self.handler.to_string());
        for argument in &self.arguments {
            hash = hash.tokens(argument.ty());
        }
        hash.tokens(&self.output).value()
    }
}

/// How errors call a route.
fn subject(handler: &Ident) -> String {
    format!("route `{}`", handler.unraw())
}

const EXAMPLE: &str = "write `#[route(GET, \"/users/{id}\")]`";

/// What an attribute says, as far as it is right.
struct Parts {
    method: Option<Method>,
    pattern: Option<Pattern>,
    options: Options,
}

impl Parts {
    fn check(attribute: TokenStream, at: Span, errors: &mut Errors) -> Self {
        let (pieces, stray) = pieces(attribute);
        for comma in stray {
            errors.at(
                comma,
                "must have something before each comma of its attribute",
                "remove this one",
            );
        }
        let (positional, options) = pieces.split_at(pieces.iter().take(2).take_while(|p| !p.is_option()).count());
        let (method, pattern) = positionals(positional, at, errors);
        Self {
            method,
            pattern,
            options: Options::check(options, errors),
        }
    }
}

/// Method and pattern, by where they stand.
fn positionals(pieces: &[Piece], at: Span, errors: &mut Errors) -> (Option<Method>, Option<Pattern>) {
    match pieces {
        [] => {
            errors.at(at, "must say its method and its pattern", EXAMPLE);
            (None, None)
        }
        [only] => {
            if let Some(text) = path_like(only) {
                errors.on(
                    only,
                    "must name its method before its pattern",
                    format_args!("write `#[route(GET, \"{text}\")]`"),
                );
                return (None, None);
            }
            if let Some((method, pattern)) = without_comma(only) {
                errors.on(
                    &pattern,
                    "must have a comma between its method and its pattern",
                    "put a comma before this",
                );
                return (Method::check(&method, errors), None);
            }
            let method = Method::check(only, errors);
            if let Some(method) = &method {
                errors.on(
                    only,
                    "must have a pattern after its method",
                    format_args!("write `#[route({}, \"/users/{{id}}\")]`", quoted(method)),
                );
            }
            (method, None)
        }
        [first, second, ..] => {
            if let (Some(text), None) = (path_like(first), second.string()) {
                errors.on(
                    first,
                    "must name its method before its pattern",
                    format_args!("write `#[route({}, \"{text}\")]`", second.text()),
                );
                return (None, None);
            }
            let method = Method::check(first, errors);
            let Some(literal) = second.string() else {
                errors.on(
                    second,
                    "must have its pattern as one string: the generator reads source, it runs nothing",
                    "write it out: `\"/users/{id}\"`",
                );
                return (method, None);
            };
            (method, Pattern::check(&literal, errors))
        }
    }
}

/// The text of a string that was meant as a pattern.
fn path_like(piece: &Piece) -> Option<String> {
    piece
        .string()
        .map(|text| text.value())
        .filter(|text| text.starts_with('/'))
}

/// `GET "/users"`.
fn without_comma(piece: &Piece) -> Option<(Piece, Piece)> {
    let (method, pattern) = piece.tokens().split_at(1);
    let pattern = Some(pattern)
        .filter(|p| !p.is_empty())
        .map(|p| Piece::new(p.to_vec()))?;
    path_like(&pattern)?;
    Some((Piece::new(method.to_vec()), pattern))
}

fn quoted(method: &Method) -> String {
    if method.text().bytes().all(|b| b.is_ascii_uppercase()) {
        method.text().to_owned()
    } else {
        format!("{:?}", method.text())
    }
}
