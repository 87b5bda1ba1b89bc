//! Which builds of a package there are to look at, and how one is made.

use std::process::{Command, Stdio};

use cargo_metadata::{Message, Package, TargetKind};

use super::transport::{self, Transport};

/// One way to build a package.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Build {
    /// What `cargo build` is told about features.
    pub(super) options: Vec<String>,
    /// The transport the binary must carry.
    pub(super) transport: &'static Transport,
    /// Whether no other transport is enabled, so that its dependencies say something too.
    pub(super) alone: bool,
}

impl Build {
    /// The transport's feature and nothing else.
    pub(super) fn alone(transport: &'static Transport) -> Self {
        Self {
            options: vec![
                "--no-default-features".to_owned(),
                "--features".to_owned(),
                transport.feature(),
            ],
            transport,
            alone: true,
        }
    }

    /// As a user would say it.
    pub(super) fn label(&self) -> String {
        match self.options.is_empty() {
            true => "(defaults)".to_owned(),
            false => self.options.join(" "),
        }
    }

    /// Builds the package's binaries in release: their names and where they are.
    ///
    /// # Errors
    /// cargo failed, or made no binary.
    pub(super) fn make(&self, package: &Package) -> Result<Vec<(String, String)>, String> {
        let said = format!("`cargo build --release -p {} {}`", package.name, self.options.join(" "));
        let output = cargo()
            .args([
                "build",
                "--release",
                "--quiet",
                "--bins",
                "--message-format=json-render-diagnostics",
            ])
            .args(["-p", &package.name])
            .args(&self.options)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("{said} did not start: {error}"))?;
        if !output.status.success() {
            return Err(format!("{said} failed: {}", output.status));
        }
        let mut binaries = Vec::new();
        for message in Message::parse_stream(output.stdout.as_slice()) {
            let message = message.map_err(|error| format!("{said} can't be understood: {error}"))?;
            if let Message::CompilerArtifact(artifact) = message
                && artifact.package_id == package.id
                && artifact.target.kind.contains(&TargetKind::Bin)
                && let Some(path) = artifact.executable
            {
                binaries.push((artifact.target.name, path.into_string()));
            }
        }
        match binaries.is_empty() {
            true => Err(format!(
                "{said} made no binary: does it have `required-features` that are off?"
            )),
            false => Ok(binaries),
        }
    }
}

/// cargo, the one that runs this if one does.
pub(super) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// The builds of a package: each transport on top of the defaults, which is what users type, and alone; the defaults come
/// last, so that their binary is what remains in the target directory.
///
/// # Errors
/// The package has no feature for a transport, or one for a transport that is not known.
pub(super) fn plan(package: &Package) -> Result<Vec<Build>, String> {
    let transports = transport::of_package(package)?;
    if transports.is_empty() {
        return Err(format!(
            "`{}` has no feature for a transport: an application declares `transport-hyper = [\"polywire/transport-hyper\"]` \
             and the like",
            package.name
        ));
    }
    let default = "default".to_owned();
    let defaults = [default.clone()];
    let mut builds = Vec::new();
    for transport in &transports {
        let both = [default.clone(), transport.feature()];
        // Where the defaults enable it, they are this build.
        if transport::enabled(package, &both) != transport::enabled(package, &defaults)
            && let Some(picked) = transport::picked(package, &both)
        {
            builds.push(Build {
                options: vec!["--features".to_owned(), transport.feature()],
                transport: picked,
                alone: false,
            });
        }
        builds.push(Build::alone(transport));
    }
    // Without a transport among the defaults an application does not compile, and says so itself.
    if let Some(picked) = transport::picked(package, &defaults) {
        builds.push(Build {
            options: Vec::new(),
            transport: picked,
            alone: false,
        });
    }
    Ok(builds)
}

#[cfg(test)]
mod tests {
    use cargo_metadata::MetadataCommand;

    use super::*;
    use crate::verify_transport::tree::Tree;

    /// helloworld, with these features instead of its own.
    fn package(features: &[(&str, &[&str])]) -> Package {
        let metadata = MetadataCommand::new()
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .no_deps()
            .exec()
            .expect("cargo reads its own workspace");
        let mut packages = metadata.packages.into_iter();
        let mut package = packages
            .find(|package| package.name.as_str() == "helloworld")
            .expect("it is there");
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        package.features = features
            .iter()
            .map(|(name, enables)| ((*name).to_owned(), owned(enables)))
            .collect();
        package
    }

    fn planned(features: &[(&str, &[&str])]) -> Vec<(String, &'static str)> {
        let builds = plan(&package(features)).expect("all of them are known");
        builds
            .iter()
            .map(|build| (build.label(), build.transport.name))
            .collect()
    }

    #[test]
    fn each_transport_is_built_above_the_defaults_and_alone() {
        let features: &[(&str, &[&str])] = &[
            ("default", &["log", "transport-hyper"]),
            ("log", &["dep:log"]),
            ("transport-fast", &["polywire/transport-fast"]),
            ("transport-hyper", &["polywire/transport-hyper"]),
        ];
        let expected = [
            ("--features transport-fast", "fast"),
            ("--no-default-features --features transport-fast", "fast"),
            ("--no-default-features --features transport-hyper", "hyper"),
            ("(defaults)", "hyper"),
        ];
        assert_eq!(
            planned(features),
            expected.map(|(label, name)| (label.to_owned(), name))
        );
    }

    #[test]
    fn the_defaults_may_reach_a_transport_by_another_feature_or_have_none() {
        let through = planned(&[
            ("default", &["lean"]),
            ("lean", &["transport-fast"]),
            ("transport-fast", &[]),
            ("transport-hyper", &[]),
        ]);
        // fast goes before hyper wherever both are enabled.
        assert!(
            through.contains(&("--features transport-hyper".to_owned(), "fast")),
            "{through:?}"
        );
        assert!(through.contains(&("(defaults)".to_owned(), "fast")), "{through:?}");
        let none = planned(&[("transport-hyper", &[])]);
        let expected = [
            "--features transport-hyper",
            "--no-default-features --features transport-hyper",
        ];
        assert_eq!(none, expected.map(|label| (label.to_owned(), "hyper")));
    }

    #[test]
    fn what_has_no_transport_or_an_unknown_one_is_refused() {
        let error = plan(&package(&[("default", &[])])).expect_err("there is nothing to build");
        assert!(
            error.starts_with("`helloworld` has no feature for a transport: "),
            "{error}"
        );
        let error = plan(&package(&[("transport-pigeon", &[])])).expect_err("nothing is known of it");
        assert!(error.contains("`transport-pigeon`, and xtask/src/"), "{error}");
    }

    #[test]
    fn cargo_says_what_helloworld_depends_on() {
        let package = package(&[]);
        let hyper = super::transport::TRANSPORTS.last().expect("there are some");
        let tree = Tree::ask(&package, &Build::alone(hyper)).expect("cargo knows it");
        assert_eq!(tree.parents("pw-hyper"), ["polywire"]);
        assert!(tree.parents("hyper").contains(&"pw-hyper"));
        assert!(!tree.has("pw-fast"));
    }
}
