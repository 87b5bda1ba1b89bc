//! `Path<T>`: the parameters of a route's pattern, decoded and typed.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::{FromHead, Problem, RequestHead, problem};

/// The parameters of the path: one value, a tuple in the pattern's order, or a struct with `#[derive(PathParams)]` by name.
///
/// A value that is not of its type is 400. Text is percent-decoded and borrowed: `Path<&str>` costs nothing.
///
/// ```
/// use pw_core::Path;
/// // #[route(GET, "/users/{id}/posts/{slug}")]
/// async fn post(Path((id, slug)): Path<(u64, &str)>) -> String {
///     format!("{slug} of {id}")
/// }
/// ```
///
/// Wrong: `Path(id): Path<String>, Path(slug): Path<String>`. There is one `Path`, and it takes all parameters.
#[derive(Clone, Copy, Debug)]
pub struct Path<T>(pub T);

impl<'a, T: FromParams<'a>> FromHead<'a> for Path<T> {
    fn from_head(head: &'a impl RequestHead) -> Result<Self, Problem> {
        T::from_params(&ParamValues {
            head: head.buffer(),
            names: head.route().map_or(&[], |route| route.params()),
        })
        .map(Path)
    }
}

/// The parameters of one request, by position and by name.
#[derive(Clone, Copy)]
pub struct ParamValues<'a> {
    head: &'a crate::HeadBuffer,
    names: &'static [&'static str],
}

impl<'a> ParamValues<'a> {
    /// The parameter at a position of the pattern.
    ///
    /// # Errors
    /// 400 when it is not a `T`; 500 when the pattern has no such parameter, which the generator rules out.
    pub fn at<T: FromParam<'a>>(&self, at: usize) -> Result<T, Problem> {
        let Some(name) = self.names.get(at) else {
            return Err(Problem::internal(format!(
                "the route has no parameter number {}",
                at + 1
            )));
        };
        T::from_param_bytes(self.head.param_bytes(at)).ok_or_else(|| {
            Problem::of(&problem::kind::INVALID_PATH).detail(format!("`{name}` must be {}", T::EXPECTED))
        })
    }

    /// The parameter of a name.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub fn named<T: FromParam<'a>>(&self, name: &str) -> Result<T, Problem> {
        match self.names.iter().position(|n| *n == name) {
            Some(at) => self.at(at),
            None => Err(Problem::internal(format!("the route has no parameter `{name}`"))),
        }
    }
}

/// What `Path` can hold: a value, a tuple of values, or a struct with `#[derive(PathParams)]`.
///
/// Wrong: implementing it by hand for a type that is one segment. Implement [`FromParam`], and the type works in tuples and
/// structs, too.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be made from path parameters",
    label = "not `FromParams`",
    note = "`Path` takes a value (`u64`, `&str`, what implements `FromParam`), a tuple of values, or a struct with `#[derive(PathParams)]`"
)]
pub trait FromParams<'a>: Sized {
    /// Makes it of the request's parameters.
    ///
    /// # Errors
    /// 400 when one of them is not of its type.
    fn from_params(params: &ParamValues<'a>) -> Result<Self, Problem>;
}

/// One value in a path.
///
/// Wrong: a type that needs the state or I/O to be made, such as the user of an id. Take the id, and look it up in the
/// handler: a value that is not there is 404, one that is malformed 400.
///
/// ```
/// use pw_core::FromParam;
/// /// An order's number: `A` and six digits.
/// struct OrderNo(u32);
///
/// impl FromParam<'_> for OrderNo {
///     const EXPECTED: &'static str = "an order number such as A000042";
///     fn from_param(text: &str) -> Option<Self> {
///         let digits = text.strip_prefix('A').filter(|d| d.len() == 6)?;
///         u32::from_param(digits).map(OrderNo)
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be made from one path parameter",
    label = "not `FromParam`",
    note = "a parameter is taken as a number, `bool`, `char`, `&str`, `String`, an IP address or what implements `FromParam`"
)]
pub trait FromParam<'a>: Sized {
    /// What the client should have sent, to follow "must be": "a whole number".
    const EXPECTED: &'static str;

    /// The value, or `None` if the text is not one.
    fn from_param(text: &'a str) -> Option<Self>;

    /// The same from the bytes of the text: what is made of digits needs no proof that it is UTF-8.
    #[doc(hidden)]
    fn from_param_bytes(text: &'a [u8]) -> Option<Self> {
        Self::from_param(std::str::from_utf8(text).ok()?)
    }
}

impl<'a, T: FromParam<'a>> FromParams<'a> for T {
    fn from_params(params: &ParamValues<'a>) -> Result<Self, Problem> {
        params.at(0)
    }
}

macro_rules! tuples {
    ($(($($t:ident $at:literal)+))+) => {$(
        impl<'a, $($t: FromParam<'a>),+> FromParams<'a> for ($($t,)+) {
            fn from_params(params: &ParamValues<'a>) -> Result<Self, Problem> {
                Ok(($(params.at::<$t>($at)?,)+))
            }
        }
    )+};
}

tuples! {
    (A 0)
    (A 0 B 1)
    (A 0 B 1 C 2)
    (A 0 B 1 C 2 D 3)
    (A 0 B 1 C 2 D 3 E 4)
    (A 0 B 1 C 2 D 3 E 4 F 5)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6)
    (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7)
}

impl<'a> FromParam<'a> for &'a str {
    const EXPECTED: &'static str = "text";

    fn from_param(text: &'a str) -> Option<Self> {
        Some(text)
    }
}

impl<'a> FromParam<'a> for Cow<'a, str> {
    const EXPECTED: &'static str = "text";

    fn from_param(text: &'a str) -> Option<Self> {
        Some(Cow::Borrowed(text))
    }
}

/// Digits only: `str::parse` would take `+5` as well.
macro_rules! unsigned {
    ($($t:ty)+) => {$(
        impl FromParam<'_> for $t {
            const EXPECTED: &'static str = concat!("a whole number that fits ", stringify!($t));

            fn from_param(text: &str) -> Option<Self> {
                Self::from_param_bytes(text.as_bytes())
            }

            fn from_param_bytes(text: &[u8]) -> Option<Self> {
                let mut value: $t = 0;
                for byte in text {
                    let digit = byte.wrapping_sub(b'0');
                    if digit > 9 {
                        return None;
                    }
                    value = value.checked_mul(10)?.checked_add(<$t>::from(digit))?;
                }
                (!text.is_empty()).then_some(value)
            }
        }
    )+};
}

/// A minus sign at most, then digits.
macro_rules! signed {
    ($($t:ty)+) => {$(
        impl FromParam<'_> for $t {
            const EXPECTED: &'static str = concat!("a whole number that fits ", stringify!($t));

            fn from_param(text: &str) -> Option<Self> {
                let digits = text.strip_prefix('-').unwrap_or(text);
                (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
            }
        }
    )+};
}

/// Finite only: `str::parse` would take `nan`, `infinity` and `1e999` as well, which are no numbers to reckon with.
macro_rules! floating {
    ($($t:ty)+) => {$(
        impl FromParam<'_> for $t {
            const EXPECTED: &'static str = "a number";

            fn from_param(text: &str) -> Option<Self> {
                text.parse().ok().filter(|value: &Self| value.is_finite())
            }
        }
    )+};
}

macro_rules! parsed {
    ($($t:ty: $expected:literal)+) => {$(
        impl FromParam<'_> for $t {
            const EXPECTED: &'static str = $expected;

            fn from_param(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )+};
}

unsigned! { u8 u16 u32 u64 u128 usize }
signed! { i8 i16 i32 i64 i128 isize }
floating! { f32 f64 }
parsed! {
    bool: "`true` or `false`"
    char: "one character"
    String: "text"
    IpAddr: "an IP address"
    Ipv4Addr: "an IPv4 address"
    Ipv6Addr: "an IPv6 address"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_digits_only() {
        for bad in ["", "+5", "-1", " 1", "1.0", "1e3", "0x1", "256", "٣"] {
            assert_eq!(u8::from_param(bad), None, "{bad:?}");
        }
        assert_eq!(u8::from_param("255"), Some(255));
        assert_eq!(u64::from_param("18446744073709551615"), Some(u64::MAX));
        assert_eq!(u64::from_param("18446744073709551616"), None);
        assert_eq!(i8::from_param("-128"), Some(-128));
        for bad in ["", "-", "+5", "--1", "128"] {
            assert_eq!(i8::from_param(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn numbers_are_finite() {
        assert_eq!(f64::from_param("-1.5e3"), Some(-1500.0));
        for bad in ["", "nan", "inf", "-Infinity", "1e999", "1,5"] {
            assert_eq!(f64::from_param(bad), None, "{bad:?}");
        }
    }
}
