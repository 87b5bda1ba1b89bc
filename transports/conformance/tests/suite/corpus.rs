//! The corpus of raw HTTP/1.1 cases.

use pw_conformance::case::{self, Case, Level, Selection};
use pw_conformance::exchange::Patience;
use pw_conformance::run;

use crate::transport::Transport;

/// Areas whose features are not there yet.
const NOT_YET: [&str; 4] = ["static", "range", "conditional", "websocket"];

/// Cases below `must` that are known to fail, each with its reason.
const KNOWN: &[(&str, &str)] = &[];

fn corpus(transport: Transport) {
    let server = transport.start();
    let cases = case::parse(case::HTTP1_CASES).expect("the corpus is sound");
    let selection = Selection {
        skip: NOT_YET.map(str::to_owned).into(),
        ..Selection::default()
    };
    let chosen: Vec<&Case> = cases.iter().filter(|case| selection.takes(case)).collect();
    // Most of the time is waiting for a silence: many at a time.
    let report = run::run(&chosen, server.address(), Patience::default(), 64).expect("the server answers");
    assert!(report.is_good(), "{}", report.text(false));
    let failed: Vec<&str> = [Level::Should, Level::Hardening]
        .into_iter()
        .flat_map(|level| report.failures(level))
        .map(|outcome| outcome.case.id.as_str())
        .collect();
    let known: Vec<&str> = KNOWN.iter().map(|(id, _)| *id).collect();
    assert_eq!(failed, known, "{}", report.text(false));
}

on_every_transport! { corpus, }
