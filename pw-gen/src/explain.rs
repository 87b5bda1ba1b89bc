//! `cargo xtask explain METHOD PATH`: which route answers a request, and why that one.
//!
//! It decides by comparing the path with every pattern, segment by segment, and never looks at the tree: a second way to
//! the same answer.

mod nearest;
mod path;

use std::fmt::Write;

use pw_syntax::Segment;

use self::path::RequestPath;
use crate::listing::{bytes, time};
use crate::route_set::{Kind, Route, RouteSet};

/// What the framework makes of a request.
#[derive(Debug)]
enum Answer<'a> {
    /// This route.
    Route(&'a Route),
    /// No route, a known path: these methods are allowed. For `OPTIONS` that is the answer, for others it is 405.
    Allow(Vec<String>),
    /// 501.
    UnknownMethod,
    /// 404.
    NotFound,
}

/// Says which route answers a request for the raw `path`, and why.
pub(crate) fn explain(set: &RouteSet, method: &str, path: &str) -> String {
    let mut request = Request::new(set, method, path);
    let mut text = String::new();
    if path == "*" {
        request.fitting = set.routes.iter().collect();
        let (package, allow) = (&set.package, request.allow().join(", "));
        let what = "it asks about the server as a whole";
        say(
            &mut text,
            format_args!("{method} * is answered 204 by `{package}` itself, with `Allow: {allow}`: {what}"),
        );
        request.chain(&mut text);
        return text;
    }
    match request.answer() {
        Answer::Route(route) => request.answered(route, &mut text),
        Answer::Allow(allow) => request.allowed(&allow, &mut text),
        Answer::UnknownMethod => {
            let package = &set.package;
            say(
                &mut text,
                format_args!("{method} {path} is answered 501 by `{package}`: no route has the method {method}"),
            );
            request.patterns_with_path(&mut text);
        }
        Answer::NotFound => {
            say(
                &mut text,
                format_args!(
                    "{method} {path} is answered 404 by `{}`: no pattern has the path",
                    set.package
                ),
            );
            nearest::say(set, &request.path, &mut text);
        }
    }
    request.chain(&mut text);
    text
}

/// RFC 9110's methods and PATCH: the others are unknown to a server unless a route has them.
const KNOWN: [&str; 9] = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
];

struct Request<'a> {
    set: &'a RouteSet,
    method: &'a str,
    path: RequestPath,
    /// The routes whose pattern has the path, the most specific pattern first.
    fitting: Vec<&'a Route>,
}

impl<'a> Request<'a> {
    fn new(set: &'a RouteSet, method: &'a str, path: &str) -> Self {
        let path = RequestPath::new(path);
        let mut fitting: Vec<&Route> = set.routes.iter().filter(|route| path.fits(&route.segments)).collect();
        fitting.sort_by_key(|route| (specificity(route), route.order()));
        Self {
            set,
            method,
            path,
            fitting,
        }
    }

    fn answer(&self) -> Answer<'a> {
        if let Some(route) = self.candidates().first() {
            return Answer::Route(route);
        }
        let own = self.set.routes.iter().any(|route| route.method == self.method);
        if !KNOWN.contains(&self.method) && !own {
            return Answer::UnknownMethod;
        }
        match self.fitting.is_empty() {
            true => Answer::NotFound,
            false => Answer::Allow(self.allow()),
        }
    }

    /// The routes that could answer, best first: several only where `cfg` decides, or a less specific pattern is behind.
    fn candidates(&self) -> Vec<&'a Route> {
        let mut found: Vec<&Route> = Vec::new();
        for route in &self.fitting {
            let beside = self
                .fitting
                .iter()
                .filter(|other| specificity(other) == specificity(route));
            let has_head = beside.clone().any(|other| other.method == "HEAD");
            if route.method == self.method || (self.method == "HEAD" && route.method == "GET" && !has_head) {
                found.push(route);
            }
        }
        found
    }

    fn allow(&self) -> Vec<String> {
        let mut allow: Vec<String> = self.fitting.iter().map(|route| route.method.clone()).collect();
        if allow.iter().any(|method| method == "GET") {
            allow.push("HEAD".to_owned());
        }
        allow.push("OPTIONS".to_owned());
        allow.sort_by_key(|method| (!KNOWN.contains(&method.as_str()), method.clone()));
        allow.dedup();
        allow
    }

    fn answered(&self, route: &Route, text: &mut String) {
        let (method, path) = (self.method, &self.path.text);
        say(
            text,
            format_args!(
                "{method} {path} is answered by route `{}` of `{}`",
                route.name, self.set.package
            ),
        );
        say(text, "");
        let source = match &route.fragment {
            Some(fragment) => format!("crate {fragment}, {}:{}", route.source, route.function_place.line()),
            None => format!("{}:{}", route.source, route.function_place.line()),
        };
        row(text, "handler", format_args!("{} ({source})", route.handler));
        row(text, "pattern", format_args!("{} {}", route.method, route.pattern));
        if self.method == "HEAD" && route.method == "GET" {
            row(text, "", "HEAD follows GET; the body is left out");
        }
        for line in self.segment_lines(route) {
            row(text, "", line);
        }
        self.conditions(route, text);
        self.passed_over(route, text);
        for (at, (name, raw)) in self.path.parameters(&route.segments).into_iter().enumerate() {
            let label = if at == 0 { "parameters" } else { "" };
            match path::decode(raw) {
                Ok(value) => row(text, label, format_args!("{name} = {value:?}")),
                Err(why) => row(text, label, format_args!("{name}: answered 400, {raw:?} {why}")),
            }
        }
        let body = route
            .body_limit
            .map_or_else(|| "the server's, 1 MiB by default".to_owned(), bytes);
        row(text, "body limit", body);
        row(text, "timeout", route.timeout.map_or_else(|| "none".to_owned(), time));
    }

    fn segment_lines(&self, route: &Route) -> Vec<String> {
        let mut lines: Vec<(String, String)> = Vec::new();
        for (at, segment) in route.segments.iter().enumerate() {
            let raw = match segment {
                Segment::Rest(_) => self.path.rest(at),
                _ => self.path.segments[at].as_str(),
            };
            let meaning = match segment {
                Segment::Literal(literal) if literal.is_empty() => "ends the path, as the pattern does".to_owned(),
                Segment::Literal(literal) if literal == raw => "is the literal".to_owned(),
                Segment::Literal(literal) => format!("is the literal `{literal}`, percent-encoded"),
                Segment::Param(name) => format!("is the parameter {{{name}}}"),
                Segment::Rest(name) => format!("is all that remains, {{*{name}}}"),
            };
            lines.push((format!("/{raw}"), meaning));
        }
        let width = lines.iter().map(|(raw, _)| raw.chars().count()).max().unwrap_or(0);
        lines
            .iter()
            .map(|(raw, meaning)| format!("{raw:width$}  {meaning}"))
            .collect()
    }

    fn conditions(&self, route: &Route, text: &mut String) {
        let candidates = self.candidates();
        let mut label = "only if";
        for (at, candidate) in candidates.iter().enumerate() {
            if candidate.condition.is_always() {
                if at > 0 {
                    row(
                        text,
                        "otherwise",
                        format_args!("route `{}`, {}", candidate.name, candidate.pattern),
                    );
                }
                return;
            }
            let which = match candidate.name == route.name && candidate.handler == route.handler {
                true => format!("cfg({})", candidate.condition),
                false => format!(
                    "route `{}`, {}, if cfg({})",
                    candidate.name, candidate.pattern, candidate.condition
                ),
            };
            row(text, label, which);
            label = "otherwise";
        }
        if candidates.len() == 1 {
            row(text, "otherwise", "no route");
        }
    }

    /// The patterns that have the path, or nearly, and why each gives way.
    fn passed_over(&self, route: &Route, text: &mut String) {
        let mut label = "passed over";
        let mut said: Vec<&str> = vec![&route.pattern];
        for other in &self.fitting {
            if said.contains(&other.pattern.as_str()) {
                continue;
            }
            said.push(&other.pattern);
            let why = match specificity(other).cmp(&specificity(route)) {
                std::cmp::Ordering::Less => format!(
                    "more specific, but it has no {}: only {}",
                    self.method,
                    self.methods(other)
                ),
                _ => less_specific(other, route),
            };
            row(text, label, format_args!("{}: {why}", other.pattern));
            label = "";
        }
        for (other, at) in self.path.siblings(self.set, &route.segments) {
            if said.contains(&other.pattern.as_str()) || said.len() > 8 {
                continue;
            }
            said.push(&other.pattern);
            let why = match &other.segments[at] {
                Segment::Literal(literal) if literal.is_empty() => "it ends there with a slash".to_owned(),
                Segment::Literal(literal) => format!("`{}` is not `{literal}`", self.path.segments[at]),
                Segment::Param(_) | Segment::Rest(_) => "the path does not go on as it does".to_owned(),
            };
            row(text, label, format_args!("{}: {why}", other.pattern));
            label = "";
        }
    }

    fn methods(&self, of: &Route) -> String {
        let same = self.fitting.iter().filter(|route| route.pattern == of.pattern);
        same.map(|route| route.method.as_str()).collect::<Vec<_>>().join(", ")
    }

    fn allowed(&self, allow: &[String], text: &mut String) {
        let (method, path, package) = (self.method, &self.path.text, &self.set.package);
        let allow = allow.join(", ");
        match method {
            "OPTIONS" => say(
                text,
                format_args!("OPTIONS {path} is answered 204 by `{package}` itself, with `Allow: {allow}`"),
            ),
            _ => say(
                text,
                format_args!("{method} {path} is answered 405 by `{package}`, with `Allow: {allow}`"),
            ),
        }
        self.patterns_with_path(text);
    }

    fn patterns_with_path(&self, text: &mut String) {
        say(text, "");
        let mut label = "has the path";
        for route in &self.fitting {
            row(
                text,
                label,
                format_args!("{} {}, route `{}`", route.method, route.pattern, route.name),
            );
            label = "";
        }
    }

    fn chain(&self, text: &mut String) {
        let Kind::Application(application) = &self.set.kind else {
            row(text, "chain", "that of the application that composes this fragment");
            return;
        };
        match (&application.middlewares, &application.chain) {
            (Some(names), _) if names.is_empty() => row(text, "chain", "empty"),
            (Some(names), _) => row(text, "chain", names.join(" > ")),
            (None, Some(chain)) => {
                let chain = chain.to_string().replace(' ', "");
                row(
                    text,
                    "chain",
                    format_args!("{chain}, which is no `type` at the crate root"),
                );
            }
            (None, None) => {}
        }
    }
}

/// Literals before parameters before wildcards, segment by segment.
fn specificity(route: &Route) -> Vec<u8> {
    let rank = |segment: &Segment| match segment {
        Segment::Literal(_) => 0,
        Segment::Param(_) => 1,
        Segment::Rest(_) => 2,
    };
    route.segments.iter().map(rank).collect()
}

fn less_specific(other: &Route, chosen: &Route) -> String {
    let differ = other
        .segments
        .iter()
        .zip(&chosen.segments)
        .find_map(|(theirs, ours)| match (theirs, ours) {
            (Segment::Param(theirs), Segment::Literal(ours)) => {
                Some(format!("the literal `{ours}` goes before {{{theirs}}}"))
            }
            (Segment::Rest(theirs), Segment::Literal(ours)) => {
                Some(format!("the literal `{ours}` goes before {{*{theirs}}}"))
            }
            (Segment::Rest(theirs), Segment::Param(ours)) => Some(format!("{{{ours}}} goes before {{*{theirs}}}")),
            _ => None,
        });
    differ.unwrap_or_else(|| "it is the same pattern".to_owned())
}

fn say(text: &mut String, line: impl std::fmt::Display) {
    writeln!(text, "{line}").expect("a String takes all");
}

fn row(text: &mut String, label: &str, value: impl std::fmt::Display) {
    say(text, format!("  {label:12}  {value}").trim_end());
}
