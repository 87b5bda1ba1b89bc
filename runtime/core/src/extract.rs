//! How a handler's arguments come from a request.
//!
//! Arguments made from the head ([`FromHead`]) stand in any order; one made from the body ([`FromBody`]) stands last, so that the
//! generator knows it without knowing types, and so that the body is read only after the head was found good.

use crate::{Problem, RequestHead};

/// A handler's argument that is made from the request's head.
///
/// ```
/// use pw_core::{FromHead, Problem, RequestHead};
///
/// /// The client's `Accept-Language`, as sent.
/// struct Language<'a>(&'a [u8]);
///
/// impl<'a> FromHead<'a> for Language<'a> {
///     fn from_head(head: &'a impl RequestHead) -> Result<Self, Problem> {
///         Ok(Self(head.field("accept-language").unwrap_or_default()))
///     }
/// }
/// ```
///
/// Wrong: an argument that reads the body here. The head is all there is; implement [`FromBody`] and make it the last
/// argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be made from a request's head, so it can't be this argument of a handler",
    label = "not `FromHead`",
    note = "arguments are `Path`, `Query`, `State`, `&impl RequestHead`, `&mut impl Exchange` and what implements `FromHead`; one \
            that is made from the body (`Json`, `&[u8]`, what implements `FromBody`) stands last",
    note = "for header fields: `head: &impl RequestHead` and `head.field(\"..\")`; for a WebSocket: `head: &impl RequestHead`, \
            `cx: &mut impl Upgrade` and `WebSocket::options().accept(head, cx, ..)`; for the application's state: `State<'_, ..>`"
)]
pub trait FromHead<'a>: Sized {
    /// Makes the argument.
    ///
    /// # Errors
    /// The problem the client gets in place of the handler's answer.
    fn from_head(head: &'a impl RequestHead) -> Result<Self, Problem>;
}

/// A handler's last argument, made from the request's body.
///
/// Wrong: two such arguments in one handler. The body is read once; take one type that holds both.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be made from a request's body, so it can't be the last argument of a handler",
    label = "not `FromBody`",
    note = "the body is taken as `Json<T>`, `&[u8]`, `&str`, `Bytes` or what implements `FromBody`"
)]
pub trait FromBody<'a>: Sized {
    /// Looks at the head before the body is read, at its media type for one.
    ///
    /// # Errors
    /// The problem the client gets; the body is not read.
    fn check(head: &impl RequestHead) -> Result<(), Problem> {
        let _ = head;
        Ok(())
    }

    /// Makes the argument of the whole body.
    ///
    /// # Errors
    /// The problem the client gets in place of the handler's answer.
    fn from_body(body: &'a [u8]) -> Result<Self, Problem>;
}

impl<'a> FromBody<'a> for &'a [u8] {
    fn from_body(body: &'a [u8]) -> Result<Self, Problem> {
        Ok(body)
    }
}

impl<'a> FromBody<'a> for &'a str {
    fn from_body(body: &'a [u8]) -> Result<Self, Problem> {
        std::str::from_utf8(body)
            .map_err(|_| Problem::of(&crate::problem::kind::INVALID_BODY).detail("the body is not UTF-8"))
    }
}

impl<'a> FromBody<'a> for String {
    fn from_body(body: &'a [u8]) -> Result<Self, Problem> {
        <&str>::from_body(body).map(str::to_owned)
    }
}

impl<'a> FromBody<'a> for Vec<u8> {
    fn from_body(body: &'a [u8]) -> Result<Self, Problem> {
        Ok(body.to_vec())
    }
}

impl<'a> FromBody<'a> for bytes::Bytes {
    fn from_body(body: &'a [u8]) -> Result<Self, Problem> {
        Ok(Self::copy_from_slice(body))
    }
}

/// The last argument, whichever of the two it is. `Via` is inferred, and tells the two apart.
///
/// Nothing here is async: a future that is generic over a bound with a lifetime can't be proven `Send` where it is spawned
/// (rust-lang/rust#100013). Generated code reads the body in between.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can be made neither from a request's head nor from its body, so it can't be the last argument of a handler",
    label = "neither `FromHead` nor `FromBody`",
    note = "what comes from the head implements `FromHead`, as `Path` and `Query` do; what is made of the body implements `FromBody`, as \
            `Json`, `&[u8]` and `Bytes` do",
    note = "for header fields: `head: &impl RequestHead` and `head.field(\"..\")`; for a WebSocket: `head: &impl RequestHead`, \
            `cx: &mut impl Upgrade` and `WebSocket::options().accept(head, cx, ..)`; for the application's state: `State<'_, ..>`"
)]
#[doc(hidden)]
pub trait FromLast<'a, Via>: Sized {
    /// Names an implementation, so that `#[route]` can ask for one without a call.
    const IS_LAST: () = ();

    /// Whether the body has to be read, once the head was found good.
    fn wants_body(head: &'a impl RequestHead) -> Result<bool, Problem>;

    /// Makes the argument. `body` is empty where it was not wanted.
    fn from_last(head: &'a impl RequestHead, body: &'a [u8]) -> Result<Self, Problem>;
}

/// The last argument is made from the head.
#[doc(hidden)]
pub struct ViaHead;

/// The last argument is made from the body.
#[doc(hidden)]
pub struct ViaBody;

impl<'a, T: FromHead<'a>> FromLast<'a, ViaHead> for T {
    fn wants_body(_: &'a impl RequestHead) -> Result<bool, Problem> {
        Ok(false)
    }

    fn from_last(head: &'a impl RequestHead, _: &'a [u8]) -> Result<Self, Problem> {
        T::from_head(head)
    }
}

impl<'a, T: FromBody<'a>> FromLast<'a, ViaBody> for T {
    fn wants_body(head: &'a impl RequestHead) -> Result<bool, Problem> {
        T::check(head).map(|()| true)
    }

    fn from_last(_: &'a impl RequestHead, body: &'a [u8]) -> Result<Self, Problem> {
        T::from_body(body)
    }
}
