//! Finding a route among those of a shop and a project tracker, ours beside matchit's.
//!
//! `cargo bench -p pw-gen --bench router` measures time. With `count polywire|matchit ROUNDS` as its arguments it only runs
//! that many rounds, for `tests/router/instructions.rs` to count their instructions under callgrind.

#[path = "../tests/router/routes.rs"]
mod routes;
#[path = "../tests/router/table.rs"]
mod table;

use std::hint::black_box;

use criterion::Criterion;
use pw_core::route::{Match, Params, Table};
use routes::{ROUTES, path};

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    match arguments.iter().map(|argument| &**argument).collect::<Vec<_>>()[..] {
        [_, "count", router, rounds, ..] => count(router, rounds.parse().expect("the number of rounds")),
        _ => compare(),
    }
}

fn compare() {
    let mut criterion = Criterion::default().configure_from_args();
    let (table, matchit, requests) = (table::table(ROUTES), matchit(), requests());
    let mut group = criterion.benchmark_group("all routes once");
    group.bench_function("polywire", |bench| bench.iter(|| polywire_round(table, &requests)));
    group.bench_function("matchit", |bench| bench.iter(|| matchit_round(&matchit, &requests)));
    group.finish();
    criterion.final_summary();
}

/// Both routers are built in either case, so that building costs both counts the same.
fn count(router: &str, rounds: usize) {
    let (table, matchit, requests) = (table::table(ROUTES), matchit(), requests());
    for _ in 0..rounds {
        match router {
            "polywire" => polywire_round(table, &requests),
            "matchit" => matchit_round(&matchit, &requests),
            other => panic!("no router `{other}`"),
        }
    }
    println!("{} lookups", rounds * requests.len());
}

fn requests() -> Vec<(&'static str, String)> {
    let requests = ROUTES.iter().map(|(method, pattern)| (*method, path(pattern)));
    requests.collect()
}

fn matchit() -> matchit::Router<usize> {
    let mut router = matchit::Router::new();
    for (number, (_, pattern)) in ROUTES.iter().enumerate() {
        // It has no methods: a pattern stands there once.
        let _ = router.insert(*pattern, number);
    }
    router
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
