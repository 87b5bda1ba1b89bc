//! `cargo xtask routes`: every route as a table for people or as JSON for programs.

use std::time::Duration;

use serde::Serialize;

use crate::route_set::{Route, RouteSet};

/// The routes of some packages as JSON: a list of packages. Fields are only ever added.
pub(crate) fn json(sets: &[&RouteSet]) -> String {
    let packages: Vec<_> = sets
        .iter()
        .map(|set| JsonPackage {
            package: &set.package,
            routes: sorted(set).into_iter().map(JsonRoute::new).collect(),
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&packages).expect("it holds texts and numbers");
    text.push('\n');
    text
}

#[derive(Serialize)]
struct JsonPackage<'a> {
    package: &'a str,
    routes: Vec<JsonRoute<'a>>,
}

#[derive(Serialize)]
struct JsonRoute<'a> {
    method: &'a str,
    pattern: &'a str,
    name: &'a str,
    handler: &'a str,
    params: Vec<&'a str>,
    /// In bytes; `null`: the server's.
    body_limit: Option<u64>,
    timeout_ms: Option<u64>,
    /// `null`: in every build.
    cfg: Option<String>,
    /// The fragment it is from, as its application knows it.
    fragment: Option<&'a str>,
    /// Relative to the route's package.
    file: &'a str,
    line: usize,
}

impl<'a> JsonRoute<'a> {
    fn new(route: &'a Route) -> Self {
        Self {
            method: &route.method,
            pattern: &route.pattern,
            name: &route.name,
            handler: &route.handler,
            params: route.params(),
            body_limit: route.body_limit,
            timeout_ms: route.timeout.map(|t| t.as_millis() as u64),
            cfg: (!route.condition.is_always()).then(|| route.condition.to_string()),
            fragment: route.fragment.as_deref(),
            file: route.source.as_str(),
            line: route.function_place.line(),
        }
    }
}

/// The routes of a package as a table, by pattern and method. Columns that say nothing are left out.
pub(crate) fn table(set: &RouteSet) -> String {
    let mut rows = vec![["METHOD", "PATTERN", "NAME", "HANDLER", "BODY", "TIMEOUT", "CFG"].map(str::to_owned)];
    for route in sorted(set) {
        rows.push([
            route.method.clone(),
            route.pattern.clone(),
            route.name.clone(),
            route.handler.clone(),
            route.body_limit.map(bytes).unwrap_or_default(),
            route.timeout.map(time).unwrap_or_default(),
            route.condition.to_string(),
        ]);
    }
    aligned(&rows)
}

fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let said = |column: usize| rows.iter().skip(1).any(|row| !row[column].is_empty());
    let columns: Vec<_> = (0..N).filter(|c| *c < 4 || said(*c)).map(|c| (c, width(c))).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, width) in &columns {
            line.push_str(&format!("{:width$}  ", row[*column]));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn sorted(set: &RouteSet) -> Vec<&Route> {
    let mut routes: Vec<&Route> = set.routes.iter().collect();
    routes.sort_by_key(|route| route.order());
    routes
}

/// `64 KiB`
pub(crate) fn bytes(bytes: u64) -> String {
    for (unit, size) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
        if bytes >= size && bytes.is_multiple_of(size) {
            return format!("{} {unit}", bytes / size);
        }
    }
    format!("{bytes} B")
}

/// `500 ms`
pub(crate) fn time(time: Duration) -> String {
    let millis = time.as_millis();
    match millis.is_multiple_of(1000) {
        true => format!("{} s", millis / 1000),
        false => format!("{millis} ms"),
    }
}
