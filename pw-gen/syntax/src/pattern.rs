//! A route's pattern: the paths it answers.
//!
//! ```text
//! pattern = 1*( "/" segment )          ; an empty segment only at the end: `/`, `/users/`
//! segment = literal / "{" name "}" / "{*" name "}"   ; the last form only as the last segment
//! literal = *pchar                     ; RFC 3986 3.3, and neither `.` nor `..`
//! name    = ( ALPHA / "_" ) *( ALPHA / DIGIT / "_" )
//! ```

use std::collections::HashSet;
use std::fmt;

use proc_macro2::Span;
use syn::LitStr;

use crate::errors::Errors;
use crate::segment::{Report, Segment};

/// The most parameters one pattern may have, as in `pw_core::route`.
pub const MAX_PARAMS: usize = 16;

/// A pattern that was checked.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    segments: Vec<Segment>,
    span: Span,
}

impl Pattern {
    /// The pattern as it was written: `/users/{id}`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The segments after the first slash: one empty literal for `/`, `users` for `/users`, `users` and an empty one for
    /// `/users/`. Never none.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The names of the parameters, left to right, at most [`MAX_PARAMS`].
    pub fn params(&self) -> Vec<&str> {
        self.segments
            .iter()
            .filter_map(|segment| match segment {
                Segment::Literal(_) => None,
                Segment::Param(name) | Segment::Rest(name) => Some(&**name),
            })
            .collect()
    }

    /// Where it was written: the whole string.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Reads a pattern.
    pub(crate) fn check(literal: &LitStr, errors: &mut Errors) -> Option<Self> {
        let text = literal.value();
        let span = literal.span();
        let before = errors.len();
        let mut at = |what: fmt::Arguments<'_>, help: fmt::Arguments<'_>| errors.at(span, what, help);
        let segments = segments(&text, &mut at);
        (errors.len() == before).then_some(Self { text, segments, span })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn segments(text: &str, at: &mut Report<'_>) -> Vec<Segment> {
    let Some(path) = start(text, at) else {
        return Vec::new();
    };
    let all: Vec<&str> = path.split('/').collect();
    let mut segments = Vec::with_capacity(all.len());
    for (n, text) in all.iter().enumerate() {
        let last = n + 1 == all.len();
        if text.is_empty() && !last {
            at(
                format_args!("must not have an empty segment (`//`) in its pattern"),
                format_args!("remove one of the slashes; `//` in a request is another path, and answers 404"),
            );
            continue;
        }
        if let Some(segment) = Segment::check(text, at) {
            if let (Segment::Rest(name), false) = (&segment, last) {
                at(
                    format_args!(
                        "must have the wildcard `{{*{name}}}` at the end of its pattern: it takes all that remains"
                    ),
                    format_args!("write `{{{name}}}` for one segment, or remove what follows"),
                );
            }
            segments.push(segment);
        }
    }
    count(&segments, at);
    segments
}

/// What goes wrong with a pattern as a whole. Gives what follows the first slash.
fn start<'t>(text: &'t str, at: &mut Report<'_>) -> Option<&'t str> {
    if text.is_empty() {
        at(
            format_args!("must have a pattern that is not empty"),
            format_args!("the root is `\"/\"`"),
        );
        return None;
    }
    if text == "*" {
        at(
            format_args!("must have a path as its pattern: `*` is the target of `OPTIONS *`"),
            format_args!("remove the route: Polywire answers `OPTIONS *` itself"),
        );
        return None;
    }
    if let Some((_, rest)) = text.split_once("://") {
        let path = rest.find('/').map_or("/", |slash| &rest[slash..]);
        at(
            format_args!("must have a path as its pattern, not a URL"),
            format_args!("write `\"{path}\"`: a route answers on every host"),
        );
        return None;
    }
    if let Some(stop) = text.find(['?', '#']) {
        let path = &text[..stop];
        if text[stop..].starts_with('?') {
            at(
                format_args!("must not have a query in its pattern: a route is found by its path alone"),
                format_args!("write `\"{path}\"` and take the query as an argument: `Query(search): Query<Search>`"),
            );
        } else {
            at(
                format_args!("must not have a fragment in its pattern: clients never send one"),
                format_args!("write `\"{path}\"`"),
            );
        }
        return None;
    }
    if let Some(path) = text.strip_prefix('/') {
        return Some(path);
    }
    at(
        format_args!("must begin its pattern with `/`"),
        format_args!("write `\"/{text}\"`"),
    );
    None
}

fn count(segments: &[Segment], at: &mut Report<'_>) {
    let mut names = HashSet::new();
    for segment in segments {
        if let Segment::Param(name) | Segment::Rest(name) = segment
            && !names.insert(name)
        {
            at(
                format_args!("must have the parameter `{name}` once in its pattern"),
                format_args!("give the second one another name"),
            );
        }
    }
    let params = segments.iter().filter(|s| !matches!(s, Segment::Literal(_))).count();
    if params > MAX_PARAMS {
        at(
            format_args!("must have at most {MAX_PARAMS} parameters in its pattern: there are {params}"),
            format_args!("take the end as a wildcard, `{{*rest}}`, and split it in the handler"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<Segment>, Vec<String>> {
        let mut said = Vec::new();
        let segments = segments(text, &mut |what, help| said.push(format!("{what}; {help}")));
        if said.is_empty() { Ok(segments) } else { Err(said) }
    }

    #[test]
    fn patterns_become_segments() {
        let l = |text: &str| Segment::Literal(text.to_owned());
        let p = |text: &str| Segment::Param(text.to_owned());
        let r = |text: &str| Segment::Rest(text.to_owned());
        for (text, expected) in [
            ("/", vec![l("")]),
            ("/users", vec![l("users")]),
            ("/users/", vec![l("users"), l("")]),
            ("/users/{id}", vec![l("users"), p("id")]),
            ("/users/{id}/", vec![l("users"), p("id"), l("")]),
            ("/{a}/{b}/{*rest}", vec![p("a"), p("b"), r("rest")]),
            ("/{_a1}", vec![p("_a1")]),
            ("/%70ing/%7e", vec![l("ping"), l("~")]),
            ("/a%2fb/%e2%82%ac", vec![l("a%2Fb"), l("%E2%82%AC")]),
            ("/users:batch/a.b/...", vec![l("users:batch"), l("a.b"), l("...")]),
            ("/a@b;c=d,e+f!$&'()", vec![l("a@b;c=d,e+f!$&'()")]),
            ("/a*", vec![l("a*")]),
        ] {
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn every_mistake_is_told_with_its_remedy() {
        for (text, what, help) in [
            ("", "not empty", "`\"/\"`"),
            ("users", "begin its pattern with `/`", "`\"/users\"`"),
            ("*", "OPTIONS *", "remove the route"),
            ("http://a.example/b?c", "not a URL", "`\"/b?c\"`"),
            ("/a?b=1", "query", "`\"/a\"`"),
            ("/a#b", "fragment", "`\"/a\"`"),
            ("//a", "empty segment", "remove"),
            ("/a//", "empty segment", "remove"),
            ("/a/./b", "dot segment", "leads to"),
            ("/%2e%2E/b", "dot segment", "leads to"),
            ("/{}", "name the parameter `{}`", "`{id}`"),
            ("/{*}", "name the wildcard `{*}`", "`{*rest}`"),
            ("/{1d}", "`1d` is none", "`{id}`"),
            ("/{_}", "`_` is none", "`{id}`"),
            ("/{a b}", "`a b` is none", "`{id}`"),
            ("/{é}", "`é` is none", "`{id}`"),
            ("/{id", "`{id` lacks a `}`", "`{id}`"),
            ("/id}", "`id}` lacks a `{`", "`{id}`"),
            ("/{{id}}", "has two", "`{id}`"),
            ("/a{id}", "only partly", "`{id}`"),
            ("/{id}.json", "only partly", "`{id}`"),
            ("/{a}-{b}", "only partly", "`{a}`"),
            ("/{id:u64}", "nothing but a name", "`{id}`"),
            ("/{id:[0-9]+}", "nothing but a name", "`{id}`"),
            ("/{rest...}", "one `*`", "`{*rest}`"),
            ("/{**rest}", "one `*`", "`{*rest}`"),
            ("/{*rest}/a", "at the end", "`{rest}`"),
            ("/{*rest}/", "at the end", "`{rest}`"),
            ("/:id", "how other frameworks write one", "`{id}`"),
            ("/<id>", "how other frameworks write one", "`{id}`"),
            ("/<int:id>", "how other frameworks write one", "`{id}`"),
            ("/[id]", "how other frameworks write one", "`{id}`"),
            ("/*rest", "how other frameworks write a wildcard", "`{*rest}`"),
            ("/*", "how other frameworks write a wildcard", "`{*rest}`"),
            ("/<path:p>", "how other frameworks write a wildcard", "`{*p}`"),
            ("/<p..>", "how other frameworks write a wildcard", "`{*p}`"),
            ("/[...p]", "how other frameworks write a wildcard", "`{*p}`"),
            ("/{a}/{a}", "`a` once", "another name"),
            ("/caf\u{e9}", "`\\u{e9}` is not", "`%C3%A9`"),
            ("/a b", "` ` is not", "`%20`"),
            ("/a\\b", "is not", "`%5C`"),
            ("/100%", "two hexadecimal digits", "`%25`"),
            ("/%zz", "two hexadecimal digits", "`%25`"),
            ("/%+1", "two hexadecimal digits", "`%25`"),
            ("/%\u{e9}", "two hexadecimal digits", "`%25`"),
        ] {
            let said = parse(text).expect_err(text);
            let (found, remedy) = said[0].split_once("; ").expect("a remedy");
            assert!(found.contains(what), "{text}: {found}");
            assert!(remedy.contains(help), "{text}: {remedy}");
            assert_eq!(said.len(), 1, "{text}: {said:?}");
        }
    }

    #[test]
    fn at_most_sixteen_parameters_and_all_mistakes_at_once() {
        let pattern = |n: usize| (0..n).map(|n| format!("/{{p{n}}}")).collect::<String>();
        assert!(parse(&pattern(16)).is_ok());
        assert!(parse(&pattern(17)).unwrap_err()[0].contains("there are 17"));
        assert_eq!(parse("/{}/:a/{a}/{a}").unwrap_err().len(), 3);
    }
}
