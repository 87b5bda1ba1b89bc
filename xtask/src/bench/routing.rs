//! Layer `routing`: instructions of a lookup as an application grows, ours beside matchit's.

use std::ffi::OsString;

use super::Options;
use super::answerer::{build, workspace};
use super::run::{Better, Column, Table};
use super::valgrind;

/// How many routes there are.
const ROUTES: [usize; 4] = [5, 50, 300, 3000];
/// Lookups of a run, about: of the shorter one of two.
const LOOKUPS: usize = 30_000;

/// Measures it.
pub(super) fn routing(_: &Options) -> Result<Vec<Table>, String> {
    let manifest = workspace()?.join("Cargo.toml");
    let bench = build(&manifest, &["--package", "pw-gen", "--bench", "router"], "router", &[])?;
    let mut samples = Vec::new();
    for router in ["polywire", "matchit"] {
        let mut each = Vec::new();
        for routes in ROUTES {
            eprintln!("routing: counting {router} over {routes} routes");
            let rounds = LOOKUPS.div_ceil(routes);
            let run = |rounds: usize| {
                let mut command = vec![bench.clone().into_os_string()];
                command.extend(["count", router, &rounds.to_string(), &routes.to_string()].map(OsString::from));
                valgrind::instructions(&command)
            };
            let (once, twice) = (run(rounds)?.instructions, run(2 * rounds)?.instructions);
            each.push((twice - once) / (rounds * routes) as f64);
        }
        let growth = each[ROUTES.len() - 1] / each[0];
        let figures = each.into_iter().chain([growth]);
        samples.push(figures.map(|figure| Some(vec![figure])).collect());
    }
    let columns = ROUTES.map(|routes| (format!("{routes} routes"), 0));
    let growth = (format!("{} against {}", ROUTES[3], ROUTES[0]), 2);
    let mut table = Table {
        name: "routing".to_owned(),
        title: "Instructions of a lookup".to_owned(),
        about: "Each route once, found by method and path; matchit knows no methods and is asked for the path. Resources of one shape, five \
                routes each, so that more routes are more to choose among and nothing else."
            .to_owned(),
        rows_are: "router".to_owned(),
        base: None,
        columns: columns
            .into_iter()
            .chain([growth])
            .map(|(name, digits)| Column {
                name,
                unit: String::new(),
                better: Better::Less,
                drawn: digits == 0,
                digits,
            })
            .collect(),
        rows: Vec::new(),
    };
    table.fill(&["polywire", "matchit"], &samples);
    Ok(vec![table])
}
