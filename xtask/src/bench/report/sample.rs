//! A made-up run, for tests: what is cheap, dear, absent, noisy, and named to break a page.

use crate::bench::run::{Better, Column, Machine, Run, Table};

pub(super) fn run() -> Run {
    Run {
        machine: Machine {
            date: "2026-05-09T07:30:11Z".to_owned(),
            processor: "Made-up <2 GHz>".to_owned(),
            cores: 2,
            kernel: "Linux 6.1".to_owned(),
            rustc: "rustc 1.95.0".to_owned(),
            commit: "0123456789ab with changes".to_owned(),
        },
        command: "cargo xtask bench".to_owned(),
        versions: vec![("hyper".to_owned(), "1.12.0".to_owned())],
        tables: vec![loopback(), growth()],
    }
}

/// Bars: a base, ratios, a row that can't take part in one column, and one whose rounds differ.
pub(super) fn loopback() -> Table {
    let mut table = Table {
        name: "loopback".to_owned(),
        title: "64 connections".to_owned(),
        about: "Two rounds of `wrk <file>`.".to_owned(),
        rows_are: "server".to_owned(),
        base: Some("hand-hyper".to_owned()),
        columns: vec![
            column("CPU", "µs", Better::Less, true, 2),
            column("requests", "/s", Better::More, false, 0),
        ],
        rows: Vec::new(),
    };
    let samples = [
        vec![Some(vec![10.0, 11.0]), Some(vec![81_000.0, 82_000.0])],
        vec![Some(vec![4.0, 4.5]), Some(vec![123_456.0, 123_456.0])],
        vec![Some(vec![12.0, 18.0]), None],
    ];
    table.fill(&["hand-hyper", "polywire-fast", "<b>|\"&'"], &samples);
    table
}

/// Lines: rows are sizes, and nothing is divided.
pub(super) fn growth() -> Table {
    let mut table = Table {
        name: "growth".to_owned(),
        title: "Routes".to_owned(),
        about: "Instructions to find one.".to_owned(),
        rows_are: "routes".to_owned(),
        base: None,
        columns: vec![
            column("polywire", "instructions", Better::Less, true, 0),
            column("matchit", "instructions", Better::Less, true, 0),
        ],
        rows: Vec::new(),
    };
    let samples = [
        vec![Some(vec![100.0]), Some(vec![150.0])],
        vec![Some(vec![110.0]), Some(vec![300.0])],
        vec![Some(vec![120.0]), None],
    ];
    table.fill(&["5", "50", "3,000"], &samples);
    table
}

fn column(name: &str, unit: &str, better: Better, drawn: bool, digits: usize) -> Column {
    Column {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better,
        drawn,
        digits,
    }
}
