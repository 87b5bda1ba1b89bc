//! The transports, as data: a new one is an entry here.

use std::collections::BTreeSet;

use cargo_metadata::Package;

/// One transport: what a binary that carries it has, and a binary of another one must not have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Transport {
    /// As in the feature: `transport-NAME`.
    pub(super) name: &'static str,
    /// Its crate, as cargo calls it.
    pub(super) package: &'static str,
    /// Where that crate's sources are in this workspace, in the paths that rustc keeps for panics.
    pub(super) folder: &'static str,
    /// The server libraries it brings, as cargo calls them.
    pub(super) libraries: &'static [&'static str],
}

/// All of them. Where several are enabled, `App::run` picks the one that stands first here.
pub(super) const TRANSPORTS: &[Transport] = &[
    Transport {
        name: "fast",
        package: "pw-fast",
        folder: "transports/fast",
        libraries: &[],
    },
    Transport {
        name: "may",
        package: "pw-may",
        folder: "transports/may",
        libraries: &["may", "may_minihttp"],
    },
    Transport {
        name: "hyper",
        package: "pw-hyper",
        folder: "transports/hyper",
        libraries: &["hyper", "h2"],
    },
];

impl Transport {
    /// Its feature in an application.
    pub(super) fn feature(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }

    /// The transports whose crates have no place beside this one.
    pub(super) fn others(&self) -> impl Iterator<Item = &'static Transport> {
        TRANSPORTS.iter().filter(move |other| *other != self)
    }
}

/// What the names of transport features begin with.
const PREFIX: &str = "transport-";

/// The transports a package has a feature for.
///
/// # Errors
/// It has one for a transport that [`TRANSPORTS`] does not know.
pub(super) fn of_package(package: &Package) -> Result<Vec<&'static Transport>, String> {
    for feature in package.features.keys().filter(|name| name.starts_with(PREFIX)) {
        if !TRANSPORTS.iter().any(|transport| transport.feature() == *feature) {
            return Err(format!(
                "`{}` has the feature `{feature}`, and xtask/src/verify_transport/transport.rs does not say what that \
                 transport brings",
                package.name
            ));
        }
    }
    let all = TRANSPORTS.iter();
    Ok(all
        .filter(|transport| package.features.contains_key(&transport.feature()))
        .collect())
}

/// The transport that is picked where these features of the package, and those they enable, are on.
pub(super) fn picked(package: &Package, features: &[String]) -> Option<&'static Transport> {
    let enabled = enabled(package, features);
    TRANSPORTS
        .iter()
        .find(|transport| enabled.contains(&transport.feature()))
}

/// The package's own features that are on where `features` were asked for.
pub(super) fn enabled(package: &Package, features: &[String]) -> BTreeSet<String> {
    let mut enabled = BTreeSet::new();
    let mut waiting = features.to_vec();
    while let Some(feature) = waiting.pop() {
        // What is no key is a dependency's: `dep:name` or `name/feature`.
        let Some(enables) = package.features.get(&feature) else {
            continue;
        };
        if enabled.insert(feature) {
            waiting.extend(enables.iter().cloned());
        }
    }
    enabled
}
