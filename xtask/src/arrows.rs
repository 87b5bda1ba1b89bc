//! `cargo xtask arrows`: which crate of the workspace may depend on which. Development dependencies don't count: a test may
//! know more than what it tests.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// The arrows, as ARCHITECTURE.md draws them: a crate, and those it may name.
const ARROWS: &[(&str, &[&str])] = &[
    ("pw-syntax", &[]),
    ("pw-macros", &["pw-syntax"]),
    ("pw-gen", &["pw-syntax"]),
    ("xtask", &["pw-gen"]),
    ("pw-core", &[]),
    ("pw-h1", &["pw-core"]),
    ("pw-server", &["pw-core"]),
    ("pw-hyper", &["pw-core", "pw-h1", "pw-server"]),
    ("pw-fast", &["pw-core", "pw-h1", "pw-server"]),
    ("pw-may", &["pw-core", "pw-h1", "pw-server"]),
    ("pw-conformance", &["pw-server", "pw-hyper", "pw-fast", "pw-may"]),
    (
        "pw-properties",
        &[
            "pw-conformance",
            "pw-core",
            "pw-h1",
            "pw-server",
            "pw-hyper",
            "pw-fast",
            "pw-may",
            "pw-ws",
        ],
    ),
    (
        "polywire",
        &[
            "pw-core",
            "pw-macros",
            "pw-hyper",
            "pw-fast",
            "pw-may",
            // Each behind a feature of its name.
            "pw-compression",
            "pw-files",
            "pw-streams",
            "pw-ws",
        ],
    ),
];

/// What crates of a folder may name, where the crate itself is not in [`ARROWS`].
const FOLDERS: &[(&str, &[&str])] = &[
    ("examples/", &["polywire"]),
    ("pw-gen/golden/", &["polywire", "pw-gen-golden-*"]),
    // Sessions, SQL, static files: each needs the contracts and names no transport.
    ("runtime/", &["pw-core"]),
];

/// Checks the workspace around the current directory.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(extra) = arguments.first() {
        return Err(format!("`arrows` takes no `{extra}`"));
    }
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .map_err(|error| error.to_string())?;
    let (arrows, wrong) = check(&metadata);
    match wrong.is_empty() {
        true => {
            println!(
                "{arrows} arrows between {} crates, all of them allowed",
                metadata.packages.len()
            );
            Ok(())
        }
        false => Err(format!(
            "{}\nhelp: an arrow is a decision: take it back, or make it in ARCHITECTURE.md and in xtask/src/arrows.rs",
            wrong.join("\nerror: ")
        )),
    }
}

/// The number of arrows, and what is wrong with some.
fn check(metadata: &Metadata) -> (usize, Vec<String>) {
    let mut arrows = 0;
    let mut wrong = Vec::new();
    for package in &metadata.packages {
        let Some(allowed) = allowed(metadata, package) else {
            wrong.push(format!("`{}` has no place among the arrows", package.name));
            continue;
        };
        for dependency in package
            .dependencies
            .iter()
            .filter(|d| d.kind != DependencyKind::Development)
        {
            if !metadata.packages.iter().any(|p| p.name.as_str() == dependency.name) {
                continue;
            }
            arrows += 1;
            if !allowed.iter().any(|name| matches(name, &dependency.name)) {
                wrong.push(format!("`{}` must not depend on `{}`", package.name, dependency.name));
            }
        }
    }
    (arrows, wrong)
}

fn allowed(metadata: &Metadata, package: &Package) -> Option<&'static [&'static str]> {
    if let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == package.name.as_str()) {
        return Some(allowed);
    }
    let folder = package.manifest_path.strip_prefix(&metadata.workspace_root).ok()?;
    FOLDERS
        .iter()
        .find(|(start, _)| folder.as_str().starts_with(start))
        .map(|(_, allowed)| *allowed)
}

fn matches(name: &str, dependency: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => dependency.starts_with(start),
        None => name == dependency,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Metadata {
        let here = env!("CARGO_MANIFEST_DIR");
        MetadataCommand::new()
            .current_dir(here)
            .no_deps()
            .exec()
            .expect("cargo reads its own workspace")
    }

    #[test]
    fn this_workspace_has_no_other_arrows() {
        let (arrows, wrong) = check(&workspace());
        assert!(arrows > 5, "they were found");
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn a_wrong_arrow_is_named() {
        let mut metadata = workspace();
        let core = metadata
            .packages
            .iter()
            .position(|p| p.name.as_str() == "pw-core")
            .expect("it is there");
        let gen_ = metadata
            .packages
            .iter()
            .find(|p| p.name.as_str() == "xtask")
            .expect("it is there");
        let arrow = gen_
            .dependencies
            .iter()
            .find(|d| d.name == "pw-gen")
            .expect("it is there")
            .clone();
        metadata.packages[core].dependencies.push(arrow);
        assert_eq!(check(&metadata).1, ["`pw-core` must not depend on `pw-gen`"]);
    }
}
