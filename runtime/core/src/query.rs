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
        // The key whose value is being read; none between pairs, where an error names what it is about by itself.
        let at = Cell::new("");
        let between = std::iter::once_with(|| at.set("")).filter_map(|()| None);
        let pairs = head.query_pairs()?.map(|(key, text)| {
            at.set("");
            (key, Value { key, text, at: &at })
        });
        T::deserialize(MapDeserializer::<_, de::value::Error>::new(pairs.chain(between)))
            .map(Query)
            .map_err(|error| {
                let detail = match at.get() {
                    "" => error.to_string(),
                    key => format!("`{key}`: {error}"),
                };
                Problem::of(&problem::kind::INVALID_QUERY).detail(detail)
            })
    }
}

/// One value of a query: text that becomes what is asked for.
struct Value<'a, 'c> {
    key: &'a str,
    text: &'a str,
    at: &'c Cell<&'a str>,
}

impl<'de> IntoDeserializer<'de> for Value<'de, '_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self.at.set(self.key);
        self
    }
}

macro_rules! scalars {
    ($($method:ident $visit:ident $t:ty)+) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            match <$t>::from_param(self.text) {
                Some(value) => visitor.$visit(value),
                None => Err(de::Error::custom(format_args!("must be {}", <$t>::EXPECTED))),
            }
        }
    )+};
}

impl<'de> de::Deserializer<'de> for Value<'de, '_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_borrowed_str(self.text)
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
        de::value::BorrowedStrDeserializer::new(self.text).deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeadBuffer, Span, Version};

    #[derive(Debug, Default)]
    struct Head(HeadBuffer);

    impl RequestHead for Head {
        fn buffer(&self) -> &HeadBuffer {
            &self.0
        }
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Up,
        Down,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "read by Debug alone")]
    struct Search<'a> {
        q: &'a str,
        page: Option<u8>,
        exact: Option<bool>,
        order: Option<Order>,
    }

    fn asked(query: &str) -> String {
        let mut head = Head::default();
        head.0.start(
            Version::Http11,
            query,
            Span::new(0, 0),
            Span::new(0, 0),
            Span::new(0, query.len()),
        );
        match Query::<Search<'_>>::from_head(&head) {
            Ok(Query(search)) => format!("{search:?}"),
            Err(problem) => format!("{problem:?}"),
        }
    }

    #[test]
    fn an_error_says_what_it_is_about() {
        for (query, detail) in [
            ("q=a&page=256", "`page`: must be a whole number that fits u8"),
            ("q=a&exact=TRUE&page=1", "`exact`: must be `true` or `false`"),
            (
                "q=a&order=left",
                "`order`: unknown variant `left`, expected `up` or `down`",
            ),
            ("page=1", "missing field `q`"),
            ("", "missing field `q`"),
            ("q=a&page=1&q=b", "duplicate field `q`"),
            (
                "page=1&sort=2",
                "unknown field `sort`, expected one of `q`, `page`, `exact`, `order`",
            ),
        ] {
            assert_eq!(asked(query), format!("400 Invalid query: {detail}"), "{query}");
        }
        assert_eq!(
            asked("q=a&order=up"),
            "Search { q: \"a\", page: None, exact: None, order: Some(Up) }"
        );
    }
}
