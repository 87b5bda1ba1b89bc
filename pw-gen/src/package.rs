//! What cargo says of a package, as far as the generator asks.

use cargo_metadata::camino::Utf8PathBuf;

/// A package that may have routes.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    /// As cargo calls it: `my-app`.
    pub(crate) name: String,
    /// Its folder, relative to the directory that paths are printed from.
    pub(crate) folder: Utf8PathBuf,
    /// Its library and its binaries, the library first.
    pub(crate) targets: Vec<Target>,
    /// What it calls `polywire`, if something else: `pw = { package = "polywire" }`.
    pub(crate) polywire_renamed: Option<String>,
}

/// A library or binary of a package.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// As `module_path!()` calls it: `my_app`.
    pub(crate) crate_name: String,
    /// The file that cargo hands to rustc, as [`Package::folder`] is.
    pub(crate) root: Utf8PathBuf,
    /// Whether it is the library.
    pub(crate) is_library: bool,
}

/// What stands behind a name in `crates: [..]`.
#[derive(Debug)]
pub(crate) enum Dependency {
    /// A dependency of this package.
    Package(Package),
    /// The package has no such dependency. What it has, to suggest one.
    Unknown(Vec<String>),
    /// It has, and cargo can't say where it is.
    Unreadable(String),
}
