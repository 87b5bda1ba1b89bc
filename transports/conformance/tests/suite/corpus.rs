//! The corpus of raw HTTP/1.1 cases.

use pw_conformance::case::{self, Case, Level, Selection};
use pw_conformance::exchange::Patience;
use pw_conformance::run::{self, Verdict};

use crate::transport::Transport;

/// Cases below `must` that are known to fail, each with its reason.
const KNOWN: &[(&str, &str)] = &[];

fn corpus(transport: Transport) {
    let server = transport.start();
    let cases = case::all().expect("the corpus is sound");
    let selection = Selection::default();
    let chosen: Vec<&Case> = cases.iter().filter(|case| selection.takes(case)).collect();
    // Most of the time is waiting for a silence: many at a time.
    let report = run::run(&chosen, server.address(), Patience::default(), 64).expect("the server answers");
    assert!(report.is_good(), "{}", report.text(false));
    assert_eq!(
        report.count(Verdict::Skip),
        0,
        "files have the validators that cases ask for"
    );
    let failed: Vec<&str> = [Level::Should, Level::Hardening]
        .into_iter()
        .flat_map(|level| report.failures(level))
        .map(|outcome| outcome.case.id.as_str())
        .collect();
    let known: Vec<&str> = KNOWN.iter().map(|(id, _)| *id).collect();
    assert_eq!(failed, known, "{}", report.text(false));
}

on_every_transport! { corpus, }
