//! Random route sets and paths, against matchit and against a second implementation that tries every pattern.
//!
//! Where matchit differs from us by intent, it isn't asked: it has no methods, it takes escapes for data (so paths have
//! none here when it is the oracle), and it refuses a wildcard beside a parameter (such a route is left out for both).

use proptest::prelude::*;
use pw_core::route::{Match, Params, Table};

use crate::table::table;

/// Texts that collide: with each other's beginnings, with words of eight bytes, and with what may stand behind them.
const LITERALS: [&str; 13] = [
    "a",
    "b",
    "ab",
    "a-b",
    "a.b",
    "users",
    "users-x",
    "abcdefg",
    "abcdefgh",
    "abcdefghi",
    "abcdefghj",
    "a%2Fb",
    "%20",
];
const METHODS: [&str; 5] = ["GET", "POST", "HEAD", "OPTIONS", "PURGE"];

fn literal() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&LITERALS[..])
}

fn pattern() -> impl Strategy<Value = String> {
    let segment = prop_oneof![3 => literal(), 2 => Just("{}")];
    let end = prop_oneof![6 => Just(""), 1 => Just("/"), 2 => Just("/{*r}")];
    (prop::collection::vec(segment, 0..5), end).prop_map(|(segments, end)| {
        let named = segments.iter().enumerate().map(|(at, segment)| match *segment {
            "{}" => format!("/{{p{at}}}"),
            text => format!("/{text}"),
        });
        match named.collect::<String>() + end {
            pattern if pattern.is_empty() => "/".to_owned(),
            pattern => pattern,
        }
    })
}

fn routes() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let route = (prop::sample::select(&METHODS[..]), pattern());
    prop::collection::vec(route, 1..24).prop_map(|mut routes| {
        let shape = |pattern: &str| pattern.replace(|c: char| c.is_ascii_digit(), "");
        let mut seen = std::collections::BTreeSet::new();
        routes.retain(|(method, pattern)| seen.insert((*method, shape(pattern))));
        routes
    })
}

/// How a path is made of a pattern: values for its parameters, and what goes wrong on the way.
#[derive(Clone, Debug)]
struct Making {
    values: Vec<&'static str>,
    damage: Vec<(prop::sample::Index, Damage)>,
}

#[derive(Clone, Debug)]
enum Damage {
    Insert(&'static str),
    Remove,
    Escape,
}

fn making(damages: Vec<Damage>) -> impl Strategy<Value = Making> {
    let value = prop_oneof![3 => literal(), 1 => Just(""), 1 => Just("0123456789"), 1 => Just("x/y")];
    let damage = (any::<prop::sample::Index>(), prop::sample::select(damages));
    (prop::collection::vec(value, 5), prop::collection::vec(damage, 0..4))
        .prop_map(|(values, damage)| Making { values, damage })
}

impl Making {
    fn path(&self, pattern: &str) -> String {
        let mut values = self.values.iter().copied();
        let segments = pattern.split('/').map(|segment| match segment.starts_with('{') {
            true => values.next().unwrap_or("z"),
            false => segment,
        });
        let mut path = segments.collect::<Vec<_>>().join("/");
        for (at, damage) in &self.damage {
            let at = at.index(path.len() + 1);
            match damage {
                Damage::Insert(text) => path.insert_str(at, text),
                Damage::Remove if at < path.len() => drop(path.remove(at)),
                Damage::Escape if at < path.len() && !matches!(path.as_bytes()[at], b'/' | b'%') => {
                    let byte = path.as_bytes()[at];
                    let escape = if at % 2 == 0 {
                        format!("%{byte:02x}")
                    } else {
                        format!("%{byte:02X}")
                    };
                    path.replace_range(at..=at, &escape);
                }
                _ => {}
            }
        }
        path
    }
}

/// One of the set's patterns, or another one.
fn choice() -> impl Strategy<Value = (prop::sample::Index, Option<String>)> {
    (any::<prop::sample::Index>(), prop::option::weighted(0.2, pattern()))
}

fn find(table: &Table, method: &str, path: &str) -> (Match, Vec<String>) {
    let mut params = Params::default();
    let found = table.find(method, path, &mut params);
    let spans = params.spans().iter();
    (
        found,
        spans
            .map(|&(start, end)| path[start as usize..end as usize].to_owned())
            .collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matchit_finds_the_same(
        routes in routes(),
        requests in prop::collection::vec((choice(), making(vec![Damage::Insert("/"), Damage::Insert("a"), Damage::Remove])), 16),
    ) {
        let mut matchit = matchit::Router::new();
        let mut kept: Vec<(&str, &str)> = Vec::new();
        for (_, pattern) in &routes {
            if !pattern.contains('%') && matchit.insert(pattern.as_str(), kept.len()).is_ok() {
                kept.push(("GET", pattern));
            }
        }
        prop_assume!(!kept.is_empty());
        let table = table(&kept);
        for ((at, other), making) in &requests {
            let path = making.path(other.as_deref().unwrap_or(kept[at.index(kept.len())].1));
            let (found, values) = find(table, "GET", &path);
            match matchit.at(&path) {
                Ok(expected) => {
                    prop_assert_eq!(found, Match::Route(*expected.value), "{} in {:?}", path, kept);
                    let expected: Vec<_> = expected.params.iter().map(|(_, value)| value.to_owned()).collect();
                    prop_assert_eq!(values, expected, "{} in {:?}", path, kept);
                }
                Err(_) => prop_assert_eq!(found, Match::NotFound, "{} in {:?}", path, kept),
            }
        }
    }

    #[test]
    fn trying_every_pattern_finds_the_same(
        routes in routes(),
        requests in prop::collection::vec(
            (
                choice(),
                making(vec![Damage::Insert("/"), Damage::Insert("a"), Damage::Insert("%"), Damage::Remove, Damage::Escape, Damage::Escape]),
                prop::sample::select(&["GET", "POST", "HEAD", "OPTIONS", "PURGE", "DELETE", "BREW"][..]),
            ),
            16,
        ),
    ) {
        let table = table(&routes);
        for ((at, other), making, method) in &requests {
            let path = making.path(other.as_deref().unwrap_or(&routes[at.index(routes.len())].1));
            let (found, values) = find(table, method, &path);
            let found = match found {
                Match::Route(at) => Answer::Route(at, values),
                Match::Options(allow) => Answer::Options(allow.to_string()),
                Match::MethodNotAllowed(allow) => Answer::NotAllowed(allow.to_string()),
                Match::NotImplemented => Answer::NotImplemented,
                Match::NotFound => Answer::NotFound,
            };
            prop_assert_eq!(found, every_pattern(&routes, method, &path), "{} {} in {:?}", method, path, routes);
        }
    }
}

#[derive(Debug, PartialEq)]
enum Answer {
    Route(usize, Vec<String>),
    Options(String),
    NotAllowed(String),
    NotImplemented,
    NotFound,
}

/// The specification, written down as plainly as it can be.
fn every_pattern(routes: &[(&str, String)], method: &str, path: &str) -> Answer {
    let standard = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH",
    ];
    if !standard.contains(&method) && !routes.iter().any(|(own, _)| *own == method) {
        return Answer::NotImplemented;
    }
    let mut having: Vec<(String, usize, Vec<String>)> = Vec::new();
    for (at, (_, pattern)) in routes.iter().enumerate() {
        if let Some((rank, values)) = fit(pattern, path) {
            having.push((rank, at, values));
        }
    }
    // The most specific first; of one pattern, a `HEAD` route before the `GET` route that answers `HEAD` too.
    having.sort_by_key(|(rank, at, _)| (rank.clone(), routes[*at].0 == "GET"));
    let answers = |own: &str| own == method || (own == "GET" && method == "HEAD");
    if let Some((_, at, values)) = having.iter().find(|(_, at, _)| answers(routes[*at].0)) {
        return Answer::Route(*at, values.clone());
    }
    if having.is_empty() {
        return Answer::NotFound;
    }
    let allows = |wanted: &str| {
        wanted == "OPTIONS"
            || having
                .iter()
                .any(|(_, at, _)| routes[*at].0 == wanted || (routes[*at].0 == "GET" && wanted == "HEAD"))
    };
    let names = ["GET", "HEAD", "OPTIONS", "POST", "PURGE"];
    let allow = names
        .into_iter()
        .filter(|name| allows(name))
        .collect::<Vec<_>>()
        .join(", ");
    match method {
        "OPTIONS" => Answer::Options(allow),
        _ => Answer::NotAllowed(allow),
    }
}

/// The rank of a pattern that has the path (the smaller, the more specific) and the values of its parameters.
fn fit(pattern: &str, path: &str) -> Option<(String, Vec<String>)> {
    let (mut rank, mut values) = (String::new(), Vec::new());
    let mut rest = Some(path.strip_prefix('/')?);
    for segment in pattern[1..].split('/') {
        let remaining = rest?;
        let (first, behind) = match remaining.split_once('/') {
            Some((first, behind)) => (first, Some(behind)),
            None => (remaining, None),
        };
        if segment.starts_with("{*") {
            rank.push('3');
            values.push(remaining.to_owned());
            rest = None;
            if remaining.is_empty() {
                return None;
            }
            continue;
        }
        match segment.starts_with('{') {
            true if first.is_empty() => return None,
            true => {
                rank.push('2');
                values.push(first.to_owned());
            }
            false if normal(first) != segment => return None,
            false => rank.push('1'),
        }
        rest = behind;
    }
    rest.is_none().then_some((rank, values))
}

/// A segment with every escape of an unreserved character undone, and all others in upper case.
fn normal(segment: &str) -> String {
    let mut text = String::new();
    let mut rest = segment;
    while let Some(first) = rest.chars().next() {
        let value = rest
            .get(1..3)
            .filter(|digits| first == '%' && digits.chars().all(|c| c.is_ascii_hexdigit()));
        match value.map(|digits| (digits, u8::from_str_radix(digits, 16).unwrap() as char)) {
            Some((_, c)) if c.is_ascii_alphanumeric() || "-._~".contains(c) => text.push(c),
            Some((digits, _)) => text += &format!("%{}", digits.to_uppercase()),
            None => text.push(first),
        }
        rest = &rest[if value.is_some() { 3 } else { first.len_utf8() }..];
    }
    text
}
