//! What generated code calls. Not for people: it changes with the generator.

use std::future::Future;
use std::marker::PhantomData;
use std::time::Duration;

use http::{StatusCode, header};

pub use crate::extract::{FromLast, ViaBody};
use crate::problem::kind;
pub use crate::state::Part;
use crate::{Body, FieldValue, FromHead, Match, Problem, Reply, RequestHead, State};

/// An argument made from the head.
#[inline]
pub fn head<'a, T: FromHead<'a>>(head: &'a impl RequestHead) -> Result<T, Problem> {
    T::from_head(head)
}

/// The last argument of a handler, where it is or may be made from the body. Its type is inferred from the handler:
///
/// ```text
/// let (body, reply) = cx.split();
/// let last = codegen::last();
/// let bytes = codegen::read(body, last.wants_body(head)?).await?;
/// let answer = crate::create_order(last.make(head, bytes)?).await;
/// Respond::respond_to(answer, head, reply)
/// ```
#[inline]
pub fn last<T, Via>() -> Last<T, Via> {
    Last(PhantomData)
}

/// [`last`], of which it is known that it is made from the body, so that the compiler asks for that alone.
#[inline]
pub fn body<T>() -> Last<T, ViaBody> {
    Last(PhantomData)
}

/// A type yet to be inferred; see [`last`].
pub struct Last<T, Via>(PhantomData<fn() -> (T, Via)>);

impl<T, Via> Last<T, Via> {
    /// Whether the body has to be read, once the head was found good.
    #[inline]
    pub fn wants_body<'a>(&self, head: &'a impl RequestHead) -> Result<bool, Problem>
    where
        T: FromLast<'a, Via>,
    {
        T::wants_body(head)
    }

    /// The argument.
    #[inline]
    pub fn make<'a>(self, head: &'a impl RequestHead, body: &'a [u8]) -> Result<T, Problem>
    where
        T: FromLast<'a, Via>,
    {
        T::from_last(head, body)
    }
}

/// The body, if it is wanted.
#[inline]
pub async fn read(body: &mut impl Body, wanted: bool) -> Result<&[u8], Problem> {
    if wanted { body.read(usize::MAX).await } else { Ok(&[]) }
}

/// The application's state, or the part of it that the argument asks for.
#[inline]
pub fn state<S, T: Part<S>>(state: &S) -> State<'_, T> {
    State(T::of(state))
}

/// What the table found for this request.
#[inline]
pub fn found(head: &impl RequestHead) -> Match {
    head.buffer().found()
}

/// The answer where no route gives one: `OPTIONS`, 404, 405, 501.
pub fn unrouted(head: &impl RequestHead, reply: &mut Reply) -> Result<(), Problem> {
    if let Some(problem) = head.buffer().undecodable() {
        return Err(problem);
    }
    match found(head) {
        Match::Options(allow) => {
            reply.set_status(StatusCode::NO_CONTENT);
            let allow = allow.to_string();
            reply.insert(header::ALLOW, FieldValue::new(&allow).map_err(Problem::internal)?);
            Ok(())
        }
        Match::MethodNotAllowed(allow) => {
            let allow = http::HeaderValue::try_from(allow.to_string()).map_err(Problem::internal)?;
            Err(Problem::of(&kind::METHOD_NOT_ALLOWED).field(header::ALLOW, allow))
        }
        Match::NotImplemented => Err(Problem::of(&kind::NOT_IMPLEMENTED)),
        Match::NotFound => Err(Problem::not_found()),
        Match::Route(at) => Err(Problem::internal(format!("the table's route {at} has no binder"))),
    }
}

/// A handler with a timeout: 503 when it has passed.
pub async fn within<T>(timeout: Duration, handler: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    match tokio::time::timeout(timeout, handler).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Problem::of(&kind::SERVICE_UNAVAILABLE).cause(format!("the handler took over {timeout:?}"))),
    }
}

/// Whether a route's fingerprint stands in a table, which is sorted. For const assertions.
pub const fn contains(table: &[u64], fingerprint: u64) -> bool {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if table[middle] == fingerprint {
            return true;
        }
        if table[middle] < fingerprint {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    false
}

/// A route's fingerprint: that of its attribute and signature, continued over its module path (64-bit FNV-1a).
pub const fn fingerprint(mut hash: u64, module_path: &str) -> u64 {
    let bytes = module_path.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        i += 1;
    }
    hash
}

/// Whether two lists hold the same names, in any order. For const assertions.
pub const fn same_names(a: &[&str], b: &[&str]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        let mut j = 0;
        while j < b.len() && !same(a[i], b[j]) {
            j += 1;
        }
        if j == b.len() {
            return false;
        }
        i += 1;
    }
    true
}

const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// A type whose path parameters are known by name, made by `#[derive(PathParams)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't take more than one path parameter",
    label = "not a struct with `#[derive(PathParams)]`",
    note = "`Path` takes several parameters as a tuple of values or as a struct with `#[derive(PathParams)]`"
)]
pub trait NamedParams {
    /// The names of its fields.
    const NAMES: &'static [&'static str];
}

/// The names of a type that takes one parameter: `Names::<T>::NAMES` with [`NoNames`] in scope is `Some` for a struct
/// with `#[derive(PathParams)]` and `None` for a value.
pub struct Names<T>(PhantomData<T>);

impl<T: NamedParams> Names<T> {
    /// The names of its fields.
    pub const NAMES: Option<&'static [&'static str]> = Some(T::NAMES);
}

/// What [`Names`] falls back on.
pub trait NoNames {
    /// There are none.
    const NAMES: Option<&'static [&'static str]> = None;
}

impl<T> NoNames for Names<T> {}

/// [`same_names`], if there are names at all. For const assertions.
pub const fn same_names_if_any(a: Option<&[&str]>, b: &[&str]) -> bool {
    match a {
        Some(a) => same_names(a, b),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_found_in_a_sorted_table() {
        let table = [1, 5, 9];
        assert!(table.iter().all(|f| contains(&table, *f)));
        assert!([0, 2, 10].iter().all(|f| !contains(&table, *f)));
        assert_ne!(fingerprint(7, "a::b"), fingerprint(7, "a::c"));
    }

    #[test]
    fn names_are_compared_as_sets() {
        assert!(same_names(&["a", "bc"], &["bc", "a"]));
        assert!(!same_names(&["a", "bc"], &["a", "b"]));
        assert!(!same_names(&["a"], &["a", "b"]));
    }

    #[test]
    fn only_structs_have_names() {
        struct UserPath;
        impl NamedParams for UserPath {
            const NAMES: &'static [&'static str] = &["id"];
        }
        assert!(same_names_if_any(Names::<UserPath>::NAMES, &["id"]));
        assert!(!same_names_if_any(Names::<UserPath>::NAMES, &["name"]));
        assert!(same_names_if_any(Names::<u64>::NAMES, &["name"]));
    }
}
