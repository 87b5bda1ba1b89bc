//! Finding a route among those of a shop and a project tracker, ours beside matchit's.
//!
//! `cargo bench -p pw-gen --bench router` measures time. With `count polywire|matchit ROUNDS [ROUTES]` as its arguments it only
//! runs that many rounds, for `tests/router/cost.rs` and `cargo xtask bench` to count their instructions under callgrind; with
//! ROUTES, over as many of `tests/router/services.rs`.

#[path = "../tests/router/routes.rs"]
mod routes;
#[path = "../tests/router/services.rs"]
mod services;
#[path = "../tests/router/table.rs"]
mod table;

use std::hint::black_box;

use criterion::Criterion;
use pw_core::route::{Match, Params, Table};
use routes::{ROUTES, path};

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let number = |text: &str| text.parse().expect("a number");
    match arguments.iter().map(|argument| &**argument).collect::<Vec<_>>()[..] {
        [_, "count", router, rounds] => count(router, number(rounds), &Routes::of_services()),
        [_, "count", router, rounds, routes] => count(router, number(rounds), &Routes::grown(number(routes))),
        _ => compare(),
    }
}

/// Routes in both routers, and a request for each.
struct Routes {
    table: &'static Table,
    matchit: matchit::Router<usize>,
    requests: Vec<(&'static str, String)>,
}

impl Routes {
    /// Those of a shop and a project tracker.
    fn of_services() -> Self {
        Self::new(ROUTES.to_vec(), path)
    }

    /// So many of one shape.
    fn grown(count: usize) -> Self {
        Self::new(services::services(count), services::service_path)
    }

    fn new<P: AsRef<str>>(routes: Vec<(&'static str, P)>, path: fn(&str) -> String) -> Self {
        let mut matchit = matchit::Router::new();
        for (number, (_, pattern)) in routes.iter().enumerate() {
            // It has no methods: a pattern stands there once.
            let _ = matchit.insert(pattern.as_ref(), number);
        }
        Self {
            table: table::table(&routes),
            matchit,
            requests: routes
                .iter()
                .map(|(method, pattern)| (*method, path(pattern.as_ref())))
                .collect(),
        }
    }
}

fn compare() {
    let mut criterion = Criterion::default().configure_from_args();
    let routes = Routes::of_services();
    let mut group = criterion.benchmark_group("all routes once");
    group.bench_function("polywire", |bench| {
        bench.iter(|| polywire_round(routes.table, &routes.requests))
    });
    group.bench_function("matchit", |bench| {
        bench.iter(|| matchit_round(&routes.matchit, &routes.requests))
    });
    group.finish();
    criterion.final_summary();
}

/// Both routers are built in either case, so that building costs both counts the same.
fn count(router: &str, rounds: usize, routes: &Routes) {
    for _ in 0..rounds {
        match router {
            "polywire" => polywire_round(routes.table, &routes.requests),
            "matchit" => matchit_round(&routes.matchit, &routes.requests),
            other => panic!("no router `{other}`"),
        }
    }
    println!("{} lookups", rounds * routes.requests.len());
}

#[inline(never)]
fn polywire_round(table: &'static Table, requests: &[(&str, String)]) {
    let mut params = Params::default();
    for (method, path) in requests {
        let found = table.find(black_box(method), black_box(path), &mut params);
        assert!(matches!(found, Match::Route(_)), "{method} {path}");
        black_box(&params);
    }
}

#[inline(never)]
fn matchit_round(router: &matchit::Router<usize>, requests: &[(&str, String)]) {
    for (_, path) in requests {
        let found = router.at(black_box(path)).expect("every path has a route");
        black_box((found.value, &found.params));
    }
}
