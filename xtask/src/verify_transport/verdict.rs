//! What a binary and its dependencies prove.

use super::binary::Binary;
use super::build::Build;
use super::transport::Transport;
use super::tree::Tree;

/// What was found of one binary.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// How many symbols name crates of its transport.
    pub(super) own: usize,
    /// How many name crates of other transports.
    pub(super) foreign: usize,
    /// How many source files of its transport's crates are named in its data.
    pub(super) own_sources: usize,
    /// How many of other transports' crates.
    pub(super) foreign_sources: usize,
    /// What its dependencies say.
    pub(super) tree: String,
    /// What is wrong. Empty if the binary carries its transport and no other.
    pub(super) findings: Vec<String>,
}

/// Every binary has symbols of this crate, whatever its transport: if it seems to have none, then it is the reading that is
/// wrong.
const CONTROL: &str = "pw-core";

/// Judges a binary of a build; `tree` is that of its transport alone.
///
/// A client library may bring a transport's library for itself: the claim is one *server* transport. Where the dependencies
/// have such a library without that transport, only the transport's own crate counts; the table says through whom.
pub(super) fn judge(build: &Build, binary: &Binary, tree: &Tree) -> Verdict {
    let mut verdict = Verdict::default();
    if binary.symbols.is_empty() {
        verdict.findings.push(
            "it is stripped, and without symbols nothing is proven: set `CARGO_PROFILE_RELEASE_STRIP=none`".to_owned(),
        );
    } else {
        if binary.symbols_of(CONTROL).is_empty() {
            verdict.findings.push(missing("symbol", CONTROL));
        }
        verdict.own(build.transport, binary);
    }
    verdict.others(build.transport, binary, tree);
    verdict.tree = match build.alone {
        true => verdict.dependencies(build.transport, tree),
        false => "-".to_owned(),
    };
    verdict
}

impl Verdict {
    /// The control: what is looked for in the others' binaries is found in this one.
    fn own(&mut self, transport: &Transport, binary: &Binary) {
        for package in crates(transport) {
            let symbols = binary.symbols_of(package).len();
            self.own += symbols;
            if symbols == 0 {
                self.findings.push(missing("symbol", package));
            }
            let sources = binary.sources_of(package, folder(transport, package)).len();
            self.own_sources += sources;
            // A library may have nothing left that panics.
            if sources == 0 && package == transport.package {
                self.findings.push(missing("source path", package));
            }
        }
    }

    /// Nothing of the others is there.
    fn others(&mut self, transport: &Transport, binary: &Binary, tree: &Tree) {
        for other in transport.others() {
            for package in crates(other) {
                if transport.libraries.contains(&package) || is_client(tree, other, package) {
                    continue;
                }
                let symbols = binary.symbols_of(package);
                self.foreign += symbols.len();
                self.too_much("symbol", package, &symbols);
                let sources: Vec<_> = binary.sources_of(package, folder(other, package)).into_iter().collect();
                self.foreign_sources += sources.len();
                self.too_much("source path", package, &sources);
            }
        }
    }

    fn too_much(&mut self, what: &str, package: &str, found: &[&str]) {
        const SHOWN: usize = 3;
        if found.is_empty() {
            return;
        }
        let s = if found.len() == 1 { "" } else { "s" };
        let mut names = found[..found.len().min(SHOWN)].join("`, `");
        if found.len() > SHOWN {
            names.push_str("`, ..");
        } else {
            names.push('`');
        }
        let count = found.len();
        self.findings
            .push(format!("it has {count} {what}{s} of `{package}`: `{names}"));
    }

    /// The others' crates are no dependencies either: the table's cell.
    fn dependencies(&mut self, transport: &Transport, tree: &Tree) -> String {
        let mut notes = Vec::new();
        for package in crates(transport).filter(|package| !tree.has(package)) {
            self.findings.push(format!(
                "`{package}` is not among its dependencies: the transport is not there"
            ));
        }
        for other in transport.others() {
            for package in crates(other).filter(|package| !transport.libraries.contains(package)) {
                let parents = tree.parents(package);
                if parents.is_empty() {
                    continue;
                }
                let through = parents.join(", ");
                if !is_client(tree, other, package) {
                    self.findings
                        .push(format!("`{package}` is among its dependencies, through {through}"));
                }
                notes.push(format!("{package} through {through}"));
            }
        }
        match notes.is_empty() {
            true => "clean".to_owned(),
            false => notes.join("; "),
        }
    }
}

/// The transport's own crate, then what it brings.
fn crates(transport: &Transport) -> impl Iterator<Item = &'static str> {
    std::iter::once(transport.package).chain(transport.libraries.iter().copied())
}

/// Where the crate's sources are if it is of this workspace.
fn folder(transport: &Transport, package: &str) -> Option<&'static str> {
    (package == transport.package).then_some(transport.folder)
}

/// Whether a transport's library is among the dependencies for another reason: without that transport, and named by no crate
/// of this project, none of which is a client.
fn is_client(tree: &Tree, transport: &Transport, package: &str) -> bool {
    let is_ours = |parent: &&str| *parent == "polywire" || parent.starts_with("pw-");
    let is_of_transport = package == transport.package || tree.has(transport.package);
    tree.has(package) && !is_of_transport && !tree.parents(package).iter().any(is_ours)
}

fn missing(what: &str, package: &str) -> String {
    format!(
        "it has no {what} of `{package}`, which must be there: it carries another transport, or this check is blind"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify_transport::transport::TRANSPORTS;

    fn transport(name: &str) -> &'static Transport {
        TRANSPORTS
            .iter()
            .find(|transport| transport.name == name)
            .expect("it is known")
    }

    /// What a build for hyper shows.
    fn of_hyper() -> Binary {
        binary(
            &[
                "pw_core::route::Table::find",
                "pw_hyper::server::serve",
                "<hyper::Error as core::fmt::Debug>::fmt",
                "h2::hpack::decode",
            ],
            "transports/hyper/src/gate.rs\0registry/h2-0.4.20/src/server.rs",
        )
    }

    /// What a build for fast shows.
    fn of_fast() -> Binary {
        binary(
            &["pw_core::route::Table::find", "pw_fast::worker::run"],
            "transports/fast/src/worker.rs",
        )
    }

    fn binary(symbols: &[&str], text: &str) -> Binary {
        Binary {
            symbols: symbols.iter().map(|&symbol| symbol.to_owned()).collect(),
            mapped: vec![text.to_owned()],
            ..Binary::default()
        }
    }

    fn tree(lines: &str) -> Tree {
        Tree::read(lines).expect("it is well formed")
    }

    const HYPER: &str = "0 shop\n1 polywire\n2 pw-core\n2 pw-hyper\n3 hyper\n4 h2\n";
    const FAST: &str = "0 shop\n1 polywire\n2 pw-core\n2 pw-fast\n";

    fn judged(name: &str, binary: &Binary, lines: &str) -> Verdict {
        judge(&Build::alone(transport(name)), binary, &tree(lines))
    }

    #[test]
    fn the_right_binary_is_told_from_the_wrong_one() {
        let right = judged("hyper", &of_hyper(), HYPER);
        assert_eq!(right.findings, [""; 0]);
        assert_eq!(
            (right.own, right.foreign, right.own_sources, right.foreign_sources),
            (3, 0, 2, 0)
        );
        assert_eq!(right.tree, "clean");
        let right = judged("fast", &of_fast(), FAST);
        assert_eq!(right.findings, [""; 0]);
        assert_eq!(
            (right.own, right.foreign, right.own_sources, right.foreign_sources),
            (1, 0, 1, 0)
        );

        let wrong = judged("fast", &of_hyper(), FAST);
        assert_eq!(
            wrong.findings,
            [
                "it has no symbol of `pw-fast`, which must be there: it carries another transport, or this check is blind",
                "it has no source path of `pw-fast`, which must be there: it carries another transport, or this check is blind",
                "it has 1 symbol of `pw-hyper`: `pw_hyper::server::serve`",
                "it has 1 source path of `pw-hyper`: `transports/hyper/src/gate.rs`",
                "it has 1 symbol of `hyper`: `<hyper::Error as core::fmt::Debug>::fmt`",
                "it has 1 symbol of `h2`: `h2::hpack::decode`",
                "it has 1 source path of `h2`: `h2-0.4.20/src/server.rs`",
            ]
        );
    }

    #[test]
    fn both_transports_in_one_binary_are_found() {
        let mut both = of_fast();
        both.symbols.extend(of_hyper().symbols);
        both.mapped.extend(of_hyper().mapped);
        for (name, lines, foreign) in [("fast", FAST, "pw-hyper"), ("hyper", HYPER, "pw-fast")] {
            let findings = judged(name, &both, lines).findings;
            for what in ["symbol", "source path"] {
                let begin = format!("it has 1 {what} of `{foreign}`: ");
                assert!(
                    findings.iter().any(|finding| finding.starts_with(&begin)),
                    "{findings:?}"
                );
            }
        }
        // Without a symbol a path alone is enough.
        let mut inlined = of_fast();
        inlined.mapped.extend(of_hyper().mapped);
        assert_eq!(judged("fast", &inlined, FAST).findings.len(), 2);
    }

    #[test]
    fn a_check_that_sees_nothing_proves_nothing() {
        let stripped = judged("fast", &binary(&[], "transports/fast/src/worker.rs"), FAST);
        assert_eq!(stripped.findings.len(), 1);
        assert!(stripped.findings[0].starts_with("it is stripped, "), "{stripped:?}");
        let blind = judged(
            "fast",
            &binary(&["pw_fast::worker::run"], "transports/fast/src/worker.rs"),
            FAST,
        );
        assert_eq!(blind.findings.len(), 1);
        assert!(
            blind.findings[0].starts_with("it has no symbol of `pw-core`, "),
            "{blind:?}"
        );
    }

    #[test]
    fn dependencies_of_others_are_found() {
        let verdict = judged("fast", &of_fast(), &format!("{FAST}2 pw-hyper\n3 hyper\n"));
        assert_eq!(verdict.tree, "pw-hyper through polywire; hyper through pw-hyper");
        assert_eq!(
            verdict.findings,
            [
                "`pw-hyper` is among its dependencies, through polywire",
                "`hyper` is among its dependencies, through pw-hyper",
            ]
        );
        // None of our crates is a client library.
        let verdict = judged("fast", &of_fast(), &format!("{FAST}3 hyper\n"));
        assert_eq!(verdict.findings, ["`hyper` is among its dependencies, through pw-fast"]);
        let verdict = judged("fast", &of_fast(), "0 shop\n1 polywire\n2 pw-core\n");
        assert_eq!(
            verdict.findings,
            ["`pw-fast` is not among its dependencies: the transport is not there"]
        );
        // Where several are enabled, they all are dependencies.
        let both = Build {
            options: Vec::new(),
            transport: transport("fast"),
            alone: false,
        };
        assert_eq!(judge(&both, &of_fast(), &tree(FAST)).tree, "-");
    }

    #[test]
    fn a_client_library_may_bring_hyper_but_not_the_transport() {
        let client = format!("{FAST}1 reqwest\n2 hyper\n3 h2\n");
        let mut binary = of_fast();
        binary
            .symbols
            .extend(["hyper::client::send".to_owned(), "h2::client::send".to_owned()]);
        binary.mapped.push("registry/hyper-1.12.0/src/client.rs".to_owned());
        let verdict = judged("fast", &binary, &client);
        assert_eq!(verdict.findings, [""; 0]);
        assert_eq!(verdict.tree, "hyper through reqwest; h2 through hyper");
        binary.symbols.insert("pw_hyper::server::serve".to_owned());
        assert_eq!(
            judged("fast", &binary, &client).findings,
            ["it has 1 symbol of `pw-hyper`: `pw_hyper::server::serve`"]
        );
    }
}
