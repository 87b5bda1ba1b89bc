//! For a path that no pattern has: those that nearly have it, and where they part.

use pw_syntax::Segment;

use super::path::{Fit, RequestPath};
use super::row;
use crate::route_set::{Route, RouteSet};

/// The most patterns that are named.
const MOST: usize = 3;

/// Names the nearest patterns.
pub(super) fn say(set: &RouteSet, path: &RequestPath, text: &mut String) {
    super::say(text, "");
    if set.routes.is_empty() {
        return row(text, "nearest", "there is no route");
    }
    let mut near: Vec<(usize, &Route)> = set
        .routes
        .iter()
        .map(|route| (distance(path, &route.segments), route))
        .collect();
    near.sort_by_key(|(distance, route)| (*distance, route.order()));
    near.dedup_by(|a, b| a.1.pattern == b.1.pattern);
    let best = near[0].0;
    let mut label = "nearest";
    for (_, route) in near.iter().take_while(|(distance, _)| *distance <= best + 1).take(MOST) {
        row(
            text,
            label,
            format_args!("{}: {}", route.pattern, parting(path, &route.segments)),
        );
        label = "";
    }
}

/// How many segments would have to change; a slip of the pen counts for less.
fn distance(path: &RequestPath, pattern: &[Segment]) -> usize {
    let mut cost = 0;
    for at in 0..pattern.len().max(path.segments.len()) {
        cost += match (pattern.get(at), path.segments.get(at)) {
            (Some(segment), Some(raw)) => match path.fit(at, segment) {
                Fit::Rest => return cost,
                Fit::Segment => 0,
                Fit::No => match segment {
                    Segment::Literal(text) if pw_syntax::nearest(raw, &[text]).is_some() => 1,
                    Segment::Literal(text) if text.is_empty() || raw.is_empty() => 2,
                    Segment::Literal(_) => 4,
                    _ => 2,
                },
            },
            (None, Some(raw)) if raw.is_empty() => 1,
            (Some(Segment::Literal(text)), None) if text.is_empty() => 1,
            _ => 3,
        };
    }
    cost
}

/// Where path and pattern part, in words.
fn parting(path: &RequestPath, pattern: &[Segment]) -> String {
    for (at, segment) in pattern.iter().enumerate() {
        let Some(raw) = path.segments.get(at) else {
            return match segment {
                Segment::Literal(text) if text.is_empty() => {
                    "it ends with a slash, and that is another path".to_owned()
                }
                Segment::Literal(text) => format!("`/{text}` is missing"),
                Segment::Param(name) => format!("{{{name}}} is missing"),
                Segment::Rest(name) => format!("{{*{name}}} is missing"),
            };
        };
        match path.fit(at, segment) {
            Fit::Segment => continue,
            Fit::Rest => break,
            Fit::No => {}
        }
        return match segment {
            Segment::Literal(text) if text.is_empty() => format!("`{raw}` is more than it has"),
            Segment::Literal(text) if raw.is_empty() => format!("an empty segment is not `{text}`"),
            Segment::Literal(text) => format!("`{raw}` is not `{text}`"),
            Segment::Param(name) | Segment::Rest(name) => format!("an empty segment is no {{{name}}}"),
        };
    }
    match path.segments.get(pattern.len()).map(String::as_str) {
        Some("") => "a trailing slash makes another path".to_owned(),
        Some(_) => format!("`/{}` is more than it has", path.rest(pattern.len())),
        None => "it has the path".to_owned(),
    }
}
