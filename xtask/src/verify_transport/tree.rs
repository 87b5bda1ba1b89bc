//! What a package depends on where one transport's feature is on and no other: `cargo tree`.

use std::collections::BTreeSet;

use cargo_metadata::Package;

use super::build::{Build, cargo};

/// Who depends on whom.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// A package, and one that it names. The root's is named by nobody.
    edges: BTreeSet<(String, String)>,
}

impl Tree {
    /// Asks cargo, which knows features, targets and optional dependencies.
    ///
    /// # Errors
    /// cargo failed.
    pub(super) fn ask(package: &Package, build: &Build) -> Result<Self, String> {
        let said = format!("`cargo tree -e normal -p {} {}`", package.name, build.options.join(" "));
        let output = cargo()
            .args(["tree", "--quiet", "--color", "never", "-e", "normal"])
            .args(["--prefix", "depth", "--format", " {p}"])
            .args(["-p", &package.name])
            .args(&build.options)
            .output()
            .map_err(|error| format!("{said} did not start: {error}"))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{said} failed: {}", why.trim()));
        }
        Self::read(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| format!("{said} can't be understood"))
    }

    /// Reads lines of depth, name and more: `2 pw-core v0.1.0 (..)`. A package stands below each that names it, with what is below
    /// it at the first time only.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut tree = Self::default();
        let mut above: Vec<&str> = Vec::new();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let depth: usize = words.next()?.parse().ok()?;
            let name = words.next()?;
            above.truncate(depth);
            if let Some(parent) = above.last() {
                tree.edges.insert(((*parent).to_owned(), name.to_owned()));
            }
            above.push(name);
        }
        (!tree.edges.is_empty()).then_some(tree)
    }

    /// The packages that name this one. None if it is not among the dependencies.
    pub(super) fn parents(&self, package: &str) -> Vec<&str> {
        let edges = self.edges.iter().filter(|(_, name)| name == package);
        edges.map(|(parent, _)| parent.as_str()).collect()
    }

    /// Whether it is among the dependencies.
    pub(super) fn has(&self, package: &str) -> bool {
        !self.parents(package).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_parent_is_found_below_whom_it_stands() {
        let tree = Tree::read(
            "0 shop v0.1.0 (/shop)\n1 polywire v0.1.0 (/polywire)\n2 pw-core v0.1.0\n2 pw-fast v0.1.0\n3 pw-core v0.1.0 (*)\n\
             1 reqwest v0.12.0\n2 hyper v1.12.0\n1 serde v1.0.0\n",
        )
        .expect("it is well formed");
        assert_eq!(tree.parents("pw-core"), ["polywire", "pw-fast"]);
        assert_eq!(tree.parents("hyper"), ["reqwest"]);
        assert_eq!(tree.parents("serde"), ["shop"]);
        assert!(tree.has("pw-fast"));
        assert!(!tree.has("pw-hyper"));
    }

    #[test]
    fn what_is_no_tree_proves_nothing() {
        for text in ["", "0 shop v0.1.0\n", "shop v0.1.0\n"] {
            assert!(Tree::read(text).is_none(), "{text:?}");
        }
    }
}
