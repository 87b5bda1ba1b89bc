//! What a lookup costs, counted: no allocation, no more instructions than matchit, and no path that makes it try
//! everything.

use std::path::{Path, PathBuf};
use std::process::Command;

use pw_core::route::{Match, Params};

use crate::routes::{ROUTES, path};
use crate::table::table;

#[test]
fn every_route_is_found_without_an_allocation() {
    assert!(ROUTES.len() >= 200);
    let table = table(ROUTES);
    let paths: Vec<_> = ROUTES.iter().map(|(_, pattern)| path(pattern)).collect();
    let refused = [
        ("GET", "/nowhere"),
        ("PATCH", "/ping"),
        ("OPTIONS", "/ping"),
        ("BREW", "/"),
        ("GET", "/%70in%67"),
    ];
    let mut params = Params::default();
    let mut found = Vec::with_capacity(ROUTES.len());
    let counted = allocation_counter::measure(|| {
        for ((method, _), path) in ROUTES.iter().zip(&paths) {
            found.push(table.find(method, path, &mut params));
        }
        for (method, path) in refused {
            table.find(method, path, &mut params);
        }
    });
    assert_eq!(counted.count_total, 0);
    for (at, found) in found.into_iter().enumerate() {
        assert_eq!(found, Match::Route(at), "{:?}", ROUTES[at]);
    }
}

/// Every pattern of twelve segments that are `a` or `{x}`: each level doubles what the path has matched so far. A step
/// takes a whole segment, so no node is reached twice, and what lies beyond the longest pattern isn't looked at.
#[test]
fn a_hostile_path_reaches_each_node_once() {
    let patterns = (0..1 << 12).map(|bits: u32| {
        let segments = (0..12).map(|at| if bits & (1 << at) == 0 { "/a" } else { "/{x}" });
        ("GET", segments.collect::<String>() + "/end")
    });
    let table = table(&patterns.collect::<Vec<_>>());
    let path = "/a".repeat(4096);
    let mut params = Params::default();
    assert_eq!(table.find("GET", &path, &mut params), Match::NotFound);
    assert_eq!(
        table.find("GET", &("/a".repeat(12) + "/end"), &mut params),
        Match::Route(0)
    );
}

#[test]
fn a_path_of_thousands_of_segments_may_be_a_wildcards() {
    let table = table(&[("GET", "/{*x}"), ("GET", "/{a}/{b}/{c}/d")]);
    let path = "/a".repeat(4096);
    let mut params = Params::default();
    assert_eq!(table.find("GET", &path, &mut params), Match::Route(0));
    assert_eq!(params.spans(), [(1, 8192)]);
}

/// The figure to keep: average instructions of a lookup over the whole list, in a release build.
#[test]
fn a_lookup_takes_no_more_instructions_than_matchits() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind is not installed");
        return;
    }
    let bench = build_bench();
    let per_lookup = |router: &str| {
        let (few, many) = (instructions(&bench, router, 20), instructions(&bench, router, 120));
        (many - few) as f64 / (100 * ROUTES.len()) as f64
    };
    let (ours, matchits) = (per_lookup("polywire"), per_lookup("matchit"));
    println!(
        "instructions per lookup over {} routes: {ours:.0}, matchit {matchits:.0}",
        ROUTES.len()
    );
    assert!(
        ours <= matchits,
        "{ours:.0} instructions per lookup, matchit {matchits:.0}"
    );
}

/// Builds `benches/router.rs` and answers where it is.
fn build_bench() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["bench", "--no-run", "--bench", "router", "--message-format", "json"])
        .args(["--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")])
        .output()
        .expect("cargo runs");
    let messages = String::from_utf8_lossy(&built.stdout);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut executables = messages.lines().filter_map(|line| line.split_once(r#""executable":""#));
    let (_, tail) = executables.next_back().expect("cargo names the executable it built");
    PathBuf::from(tail.split('"').next().expect("a JSON string ends"))
}

fn instructions(bench: &Path, router: &str, rounds: usize) -> u64 {
    let counted = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(bench)
        .args(["count", router, &rounds.to_string()])
        .output()
        .expect("valgrind runs");
    let report = String::from_utf8_lossy(&counted.stderr);
    let collected = report.lines().find_map(|line| line.split_once("Collected : "));
    let (_, number) = collected.unwrap_or_else(|| panic!("callgrind says what it collected: {report}"));
    number.trim().parse().expect("a number of instructions")
}
