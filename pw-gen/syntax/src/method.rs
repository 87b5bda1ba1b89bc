//! A route's method: a registered one as a bare word, any other as a string.

use std::fmt;

use proc_macro2::{Span, TokenTree};
use syn::LitStr;

use crate::attribute::{Piece, lit_str};
use crate::errors::{Errors, nearest};

/// The methods of the IANA registry (<https://www.iana.org/assignments/http-methods>), sorted.
pub const REGISTERED: [&str; 41] = [
    "*",
    "ACL",
    "BASELINE-CONTROL",
    "BIND",
    "CHECKIN",
    "CHECKOUT",
    "CONNECT",
    "COPY",
    "DELETE",
    "GET",
    "HEAD",
    "LABEL",
    "LINK",
    "LOCK",
    "MERGE",
    "MKACTIVITY",
    "MKCALENDAR",
    "MKCOL",
    "MKREDIRECTREF",
    "MKWORKSPACE",
    "MOVE",
    "OPTIONS",
    "ORDERPATCH",
    "PATCH",
    "POST",
    "PRI",
    "PROPFIND",
    "PROPPATCH",
    "PUT",
    "QUERY",
    "REBIND",
    "REPORT",
    "SEARCH",
    "TRACE",
    "UNBIND",
    "UNCHECKOUT",
    "UNLINK",
    "UNLOCK",
    "UPDATE",
    "UPDATEREDIRECTREF",
    "VERSION-CONTROL",
];

/// The method of a route, a token as RFC 9110 9.1 has it, in the case it has on the wire.
#[derive(Clone, Debug)]
pub struct Method {
    text: String,
    span: Span,
}

impl Method {
    /// As it is on the wire: `GET`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it was written.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Reads the first piece of an attribute.
    pub(crate) fn check(piece: &Piece, errors: &mut Errors) -> Option<Self> {
        let (text, span) = match piece.tokens() {
            [TokenTree::Ident(word)] => (bare(&word.to_string(), word.span(), errors)?, word.span()),
            [TokenTree::Literal(literal)] if let Some(text) = lit_str(literal) => (quoted(&text, errors)?, text.span()),
            [_, _, ..] if piece.is_dashed() => {
                let help = format!("a method with a `-` is written as a string: `\"{}\"`", piece.text());
                errors.on(piece, "must write its method as one token", help);
                return None;
            }
            _ => {
                errors.on(
                    piece,
                    "must name its method first",
                    "write a registered method such as `GET`, or one of your own as a string: `\"PURGE\"`",
                );
                return None;
            }
        };
        if let Some(why) = refused(&text) {
            errors.at(span, format_args!("must not answer `{text}`"), why);
            return None;
        }
        Some(Self { text, span })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn bare(word: &str, span: Span, errors: &mut Errors) -> Option<String> {
    if REGISTERED.contains(&word) {
        return Some(word.to_owned());
    }
    let capitals = word.to_ascii_uppercase();
    if REGISTERED.contains(&&*capitals) {
        let what = format_args!("must write its method in capitals: methods are case-sensitive, and `{word}` is none");
        errors.at(span, what, format_args!("write `{capitals}`"));
        return None;
    }
    let what = format_args!("must name a registered method: `{word}` is none");
    let own = format!("method of your own is written as a string: `\"{word}\"`");
    match nearest(word, &REGISTERED) {
        Some(near) if near.contains('-') => errors.at(span, what, format_args!("did you mean `\"{near}\"`? A {own}")),
        Some(near) => errors.at(span, what, format_args!("did you mean `{near}`? A {own}")),
        None => errors.at(span, what, format_args!("a {own}")),
    }
    None
}

fn quoted(literal: &LitStr, errors: &mut Errors) -> Option<String> {
    let text = literal.value();
    let span = literal.span();
    let capitals = text.to_ascii_uppercase();
    if text.is_empty() || !text.bytes().all(is_token_byte) {
        errors.at(
            span,
            format_args!("must name a method that is a token (RFC 9110 9.1): `\"{text}\"` is none"),
            "a token is one or more letters, digits and any of !#$%&'*+-.^_`|~",
        );
    } else if text != capitals && REGISTERED.contains(&&*capitals) {
        errors.at(
            span,
            format_args!(
                "must write its method in capitals: methods are case-sensitive, and `{text}` is not `{capitals}`"
            ),
            format_args!("write `{capitals}`"),
        );
    } else {
        return Some(text);
    }
    None
}

/// Why no route can answer a method.
fn refused(method: &str) -> Option<&'static str> {
    match method {
        "CONNECT" => Some("it asks a proxy for a tunnel (RFC 9110 9.3.6), and this is an origin server: take `POST`"),
        "TRACE" => Some("it would show a client's own fields to scripts (RFC 9110 9.3.8): take `GET`"),
        "PRI" => Some("it begins the preface of HTTP/2 (RFC 9113 3.4) and is no request: take another"),
        "*" => Some("it is reserved (RFC 9110 18.2) so that nobody uses it: take another"),
        _ => None,
    }
}

/// `tchar`, RFC 9110 5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
