//! `Query<T>`: the query of the target, decoded and typed.

use std::cell::Cell;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde::de::{self, IntoDeserializer, Visitor};

use crate::{FromHead, FromParam, Problem, RequestHead, problem};

/// The query as a type that serde can deserialise: a struct of values, with `#[serde(default)]` or `Option` for what may
/// be absent. Keys nobody asks for are ignored; of a key given twice, serde's derive refuses the second.
///
/// Text is decoded (`+` and `%20` are spaces) and may be borrowed: `struct Search<'a> { q: &'a str }`. A value that is not
/// of its type is 400 and the answer says which.
#[derive(Clone, Copy, Debug)]
pub struct Query<T>(pub T);

impl<'a, T: Deserialize<'a>> FromHead<'a> for Query<T> {
    fn from_head(head: &'a impl RequestHead) -> Result<Self, Problem> {
        let at = Cell::new("");
        let pairs = head.query_pairs()?.map(|(key, value)| {
            at.set(key);
            (key, Value(value))
        });
        T::deserialize(MapDeserializer::<_, de::value::Error>::new(pairs))
            .map(Query)
            .map_err(|error| {
                let error = error.to_string();
                let named = at.get().is_empty() || error.contains('`');
                let detail = if named {
                    error
                } else {
                    format!("`{}`: {error}", at.get())
                };
                Problem::of(&problem::kind::INVALID_QUERY).detail(detail)
            })
    }
}

/// One value of a query: text that becomes what is asked for.
struct Value<'a>(&'a str);

impl<'de> IntoDeserializer<'de> for Value<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! scalars {
    ($($method:ident $visit:ident $t:ty)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match <$t>::from_param(self.0) {
                Some(value) => visitor.$visit(value),
                None => Err(de::Error::custom(format_args!("must be {}", <$t>::EXPECTED))),
            }
        }
    )+};
}

impl<'de> de::Deserializer<'de> for Value<'de> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_borrowed_str(self.0)
    }

    scalars! {
        deserialize_bool visit_bool bool
        deserialize_i8 visit_i8 i8
        deserialize_i16 visit_i16 i16
        deserialize_i32 visit_i32 i32
        deserialize_i64 visit_i64 i64
        deserialize_i128 visit_i128 i128
        deserialize_u8 visit_u8 u8
        deserialize_u16 visit_u16 u16
        deserialize_u32 visit_u32 u32
        deserialize_u64 visit_u64 u64
        deserialize_u128 visit_u128 u128
        deserialize_f32 visit_f32 f32
        deserialize_f64 visit_f64 f64
        deserialize_char visit_char char
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        de::value::BorrowedStrDeserializer::new(self.0).deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
