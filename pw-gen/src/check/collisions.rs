//! Routes that can't stand beside each other: one method and pattern, one pattern in two spellings, one name.
//!
//! Two routes of which no build has both (`cfg(X)` and `cfg(not(X))`) don't collide.

use std::collections::HashMap;

use pw_syntax::Segment;

use crate::diagnostic::Diagnostic;
use crate::route_set::Route;

/// Every collision, with both places. The message stands at the later one: a fragment's routes come after the
/// application's.
pub(crate) fn find(routes: &[Route], errors: &mut Vec<Diagnostic>) {
    let mut routes: Vec<&Route> = routes.iter().collect();
    routes.sort_by_key(|route| {
        let place = &route.function_place;
        (route.fragment.clone(), place.file().path.clone(), place.line())
    });
    patterns(&routes, errors);
    names(&routes, errors);
}

fn patterns(routes: &[&Route], errors: &mut Vec<Diagnostic>) {
    let mut by_shape: HashMap<String, Vec<&Route>> = HashMap::new();
    for route in routes {
        by_shape.entry(shape(&route.segments)).or_default().push(route);
    }
    for group in by_shape.values() {
        for (at, route) in group.iter().enumerate() {
            let earlier = group[..at]
                .iter()
                .filter(|other| !other.condition.excludes(&route.condition));
            let (mut twice, mut respelt) = (None, None);
            for other in earlier {
                if route.method == other.method {
                    twice.get_or_insert(*other);
                } else if route.params() != other.params() {
                    respelt.get_or_insert(*other);
                }
            }
            if let Some(other) = twice {
                errors.push(same_route(route, other));
            }
            if let Some(other) = respelt {
                errors.push(same_pattern(route, other));
            }
        }
    }
}

fn same_route(route: &Route, other: &Route) -> Diagnostic {
    let mut message = format!(
        "route `{}` must not answer `{} {}`: route `{}` does",
        route.name, route.method, route.pattern, other.name
    );
    if route.params() != other.params() {
        message.push_str(&format!(" as `{}`, which is the same pattern", other.pattern));
    }
    let help = if route.condition.is_always() && other.condition.is_always() {
        "give one of them another pattern or method, or remove it".to_owned()
    } else {
        "give one of them another pattern or method; both may stay if no build has both: one under `cfg(X)`, the \
         other under `cfg(not(X))`"
            .to_owned()
    };
    Diagnostic::at(route.place.clone(), message)
        .note_at(other.place.clone(), format!("route `{}` is here", other.name))
        .help(help)
}

fn same_pattern(route: &Route, other: &Route) -> Diagnostic {
    let message = format!(
        "route `{}` must name its parameters as route `{}` does: `{}` and `{}` are one pattern",
        route.name, other.name, route.pattern, other.pattern
    );
    Diagnostic::at(route.place.clone(), message)
        .note_at(other.place.clone(), format!("route `{}` is here", other.name))
        .help(format!("write `{}` in both, or another pattern", other.pattern))
}

fn names(routes: &[&Route], errors: &mut Vec<Diagnostic>) {
    let mut by_name: HashMap<&str, Vec<&Route>> = HashMap::new();
    for route in routes {
        by_name.entry(&route.name).or_default().push(route);
    }
    for group in by_name.values() {
        for (at, route) in group.iter().enumerate() {
            let earlier = group[..at]
                .iter()
                .find(|other| !other.condition.excludes(&route.condition));
            let Some(other) = earlier else { continue };
            let error = Diagnostic::at(
                route.function_place.clone(),
                format!("two routes have the name `{}`", route.name),
            )
            .note_at(other.function_place.clone(), "the other is here")
            .note("a route is named after its function unless it says otherwise")
            .help(format!(
                "name one of them: `#[route({}, \"{}\", name = \"..\")]`",
                route.method, route.pattern
            ));
            errors.push(error);
        }
    }
}

/// A pattern without the names of its parameters.
fn shape(segments: &[Segment]) -> String {
    let mut shape = String::new();
    for segment in segments {
        shape.push('/');
        match segment {
            Segment::Literal(text) => shape.push_str(text),
            // No literal has braces.
            Segment::Param(_) => shape.push_str("{}"),
            Segment::Rest(_) => shape.push_str("{*}"),
        }
    }
    shape
}
