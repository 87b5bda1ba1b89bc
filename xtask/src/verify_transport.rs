//! `cargo xtask verify-transport`: proves for a package's binary that it carries its transport and no other.
//!
//! Each build of the package (`build.rs`) leaves a binary (`binary.rs`), whose symbols and source paths must be those of its
//! transport (`transport.rs`) and of no other; the dependencies of each transport alone (`tree.rs`) must not have the others
//! either. What counts and what does not is in `verdict.rs`.

mod binary;
mod build;
mod transport;
mod tree;
mod verdict;

use std::path::Path;

use cargo_metadata::{Metadata, MetadataCommand, Package, TargetKind};

use self::binary::Binary;
use self::build::{Build, plan};
use self::transport::Transport;
use self::tree::Tree;
use self::verdict::{Verdict, judge};

/// Verifies the packages that are named, or else every example that has a transport's feature.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let names = parse(arguments)?;
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .map_err(|error| error.to_string())?;
    let mut rows = vec![HEADING.map(str::to_owned)];
    let mut findings = Vec::new();
    for package in select(&metadata, &names)? {
        verify(package, &mut rows, &mut findings)?;
    }
    print!("{}", table(&rows));
    match findings.is_empty() {
        true => {
            println!("\n{} binaries, each with its transport and no other", rows.len() - 1);
            Ok(())
        }
        false => Err(format!(
            "{}\nhelp: `cargo tree -e normal -i CRATE` with the same options says who brings a crate; with several transports \
             enabled, nothing but generated code and `App::run` may name one",
            findings.join("\nerror: ")
        )),
    }
}

/// `[-p PACKAGE]..`
fn parse(arguments: &[String]) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-p" | "--package" => {
                let name = arguments
                    .next()
                    .ok_or_else(|| format!("`{argument}` needs a package's name"))?;
                names.push(name.clone());
            }
            other => {
                return Err(format!(
                    "`verify-transport` takes no `{other}`: `cargo xtask verify-transport -p helloworld`"
                ));
            }
        }
    }
    Ok(names)
}

/// The packages by name, each with a binary; the examples if none is named.
fn select<'a>(metadata: &'a Metadata, names: &[String]) -> Result<Vec<&'a Package>, String> {
    if names.is_empty() {
        let examples = examples(metadata);
        return match examples.is_empty() {
            true => Err("no package in `examples` has a transport's feature: name one with `-p PACKAGE`".to_owned()),
            false => Ok(examples),
        };
    }
    let named = names.iter().map(|name| {
        let package = metadata.packages.iter().find(|package| package.name.as_str() == name);
        let package = package.ok_or_else(|| {
            let examples: Vec<_> = examples(metadata)
                .iter()
                .map(|package| package.name.to_string())
                .collect();
            format!(
                "this workspace has no package `{name}`: it has, for example, {}",
                examples.join(", ")
            )
        })?;
        match has_binary(package) {
            true => Ok(package),
            false => Err(format!(
                "`{name}` has no binary to look into: name an application, which has a `src/main.rs`"
            )),
        }
    });
    named.collect()
}

/// The packages in `examples` that have a binary and a transport's feature.
fn examples(metadata: &Metadata) -> Vec<&Package> {
    let examples = metadata.workspace_root.join("examples");
    let packages = metadata.packages.iter();
    packages
        .filter(|package| package.manifest_path.starts_with(&examples) && has_binary(package))
        .filter(|package| package.features.keys().any(|name| name.starts_with("transport-")))
        .collect()
}

fn has_binary(package: &Package) -> bool {
    let mut kinds = package.targets.iter().flat_map(|target| &target.kind);
    kinds.any(|kind| *kind == TargetKind::Bin)
}

/// Makes every build of a package, a row for each binary, and notes what is wrong.
fn verify(package: &Package, rows: &mut Vec<Row>, findings: &mut Vec<String>) -> Result<(), String> {
    let mut trees: Vec<(&Transport, Tree)> = Vec::new();
    for build in plan(package)? {
        if !trees.iter().any(|(transport, _)| *transport == build.transport) {
            trees.push((build.transport, Tree::ask(package, &Build::alone(build.transport))?));
        }
        let found = trees.iter().find(|(transport, _)| *transport == build.transport);
        let (_, tree) = found.expect("it was just put there");
        eprintln!("building {} {}", package.name, build.label());
        for (name, path) in build.make(package)? {
            let binary = Binary::read(Path::new(&path))?;
            let verdict = judge(&build, &binary, tree);
            rows.push(row(&name, &build, &binary, &verdict));
            let findings_here = verdict.findings.iter();
            findings.extend(findings_here.map(|finding| format!("{name} {}: {finding}", build.label())));
        }
    }
    Ok(())
}

const COLUMNS: usize = 10;

type Row = [String; COLUMNS];

/// Sizes are in bytes; "stripped" is what is mapped when the binary runs, which is what `strip` leaves but for a section table.
const HEADING: [&str; COLUMNS] = [
    "binary",
    "build",
    "transport",
    "own symbols",
    "foreign",
    "own paths",
    "foreign",
    "tree",
    "size",
    "stripped",
];

fn row(name: &str, build: &Build, binary: &Binary, verdict: &Verdict) -> Row {
    [
        name.to_owned(),
        build.label(),
        build.transport.name.to_owned(),
        verdict.own.to_string(),
        verdict.foreign.to_string(),
        verdict.own_sources.to_string(),
        verdict.foreign_sources.to_string(),
        verdict.tree.clone(),
        binary.size.to_string(),
        binary.stripped.to_string(),
    ]
}

/// Aligned: text to the left, numbers to the right.
fn table(rows: &[Row]) -> String {
    let widths: [usize; COLUMNS] =
        std::array::from_fn(|at| rows.iter().map(|row| row[at].len()).max().unwrap_or_default());
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).enumerate().map(|(at, (cell, width))| {
            let is_number = !matches!(HEADING[at], "binary" | "build" | "transport" | "tree");
            match is_number {
                true => format!("{cell:>width$}"),
                false => format!("{cell:width$}"),
            }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}
