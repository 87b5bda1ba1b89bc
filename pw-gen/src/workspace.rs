//! What cargo knows: where packages and their sources are.
//!
//! `cargo metadata --no-deps` needs neither a lock file nor a network. The whole graph is asked for only where an application
//! composes a crate that is no path dependency.

use std::io;

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, TargetKind};

use crate::diagnostic::Diagnostic;
use crate::package::{Dependency, Package, Target};
use crate::sources::Sources;

/// The workspace around a directory.
#[derive(Debug)]
pub(crate) struct Workspace {
    metadata: Metadata,
    directory: Utf8PathBuf,
}

impl Workspace {
    /// Asks cargo about the workspace of a directory.
    ///
    /// # Errors
    /// There is none, or its manifests are wrong.
    pub(crate) fn load(directory: &Utf8Path) -> Result<Self, Diagnostic> {
        let metadata = MetadataCommand::new().current_dir(directory).no_deps().exec();
        let metadata = metadata
            .map_err(|error| Diagnostic::nowhere(format!("cargo can't say what is here: {}", reason(&error))))?;
        Ok(Self {
            directory: directory.to_owned(),
            metadata,
        })
    }

    /// The members that a command without `-p` is about: the package around the current directory if it may have
    /// routes, else all that may.
    pub(crate) fn candidates(&self) -> (Option<Package>, Vec<Package>) {
        let members: Vec<_> = self
            .metadata
            .packages
            .iter()
            .filter(|p| depends_on_polywire(p))
            .collect();
        let here = members
            .iter()
            .filter(|p| {
                p.manifest_path
                    .parent()
                    .is_some_and(|folder| self.directory.starts_with(folder))
            })
            .max_by_key(|p| p.manifest_path.as_str().len());
        let here = here.map(|p| self.package(p));
        (here, members.iter().map(|p| self.package(p)).collect())
    }

    /// A member by name.
    ///
    /// # Errors
    /// There is none of that name; the nearest one is suggested.
    pub(crate) fn member(&self, name: &str) -> Result<Package, Diagnostic> {
        if let Some(found) = self.metadata.packages.iter().find(|p| p.name.as_str() == name) {
            return Ok(self.package(found));
        }
        let names: Vec<&str> = self.metadata.packages.iter().map(|p| p.name.as_str()).collect();
        let error = Diagnostic::nowhere(format!("this workspace has no package `{name}`"));
        Err(match pw_syntax::nearest(name, &names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help(format!("it has {}", names.join(", "))),
        })
    }

    /// Where paths are relative to.
    pub(crate) fn root(&self) -> &Utf8Path {
        &self.metadata.workspace_root
    }

    fn relative(&self, path: &Utf8Path) -> Utf8PathBuf {
        path.strip_prefix(self.root()).unwrap_or(path).to_owned()
    }

    fn package(&self, package: &cargo_metadata::Package) -> Package {
        let folder = package.manifest_path.parent().unwrap_or(&package.manifest_path);
        let is_library = |kinds: &[TargetKind]| {
            let library = [
                TargetKind::Lib,
                TargetKind::RLib,
                TargetKind::DyLib,
                TargetKind::CDyLib,
                TargetKind::StaticLib,
            ];
            kinds.iter().any(|kind| library.contains(kind))
        };
        let mut targets: Vec<Target> = package
            .targets
            .iter()
            .filter(|target| is_library(&target.kind) || target.kind.contains(&TargetKind::Bin))
            .map(|target| Target {
                crate_name: target.name.replace('-', "_"),
                root: self.relative(&target.src_path),
                is_library: is_library(&target.kind),
            })
            .collect();
        targets.sort_by(|a, b| (!a.is_library, &a.root).cmp(&(!b.is_library, &b.root)));
        let polywire = package.dependencies.iter().find(|d| is_polywire(d));
        Package {
            name: package.name.to_string(),
            folder: self.relative(folder),
            targets,
            polywire_renamed: polywire.and_then(|d| d.rename.clone()),
        }
    }

    /// The package of a path dependency.
    fn at(&self, folder: &Utf8Path) -> Result<Package, String> {
        let manifest = folder.join("Cargo.toml");
        let is_it = |p: &&cargo_metadata::Package| p.manifest_path == manifest;
        if let Some(member) = self.metadata.packages.iter().find(is_it) {
            return Ok(self.package(member));
        }
        let metadata = MetadataCommand::new().manifest_path(&manifest).no_deps().exec();
        let metadata = metadata.map_err(|error| reason(&error))?;
        match metadata.packages.iter().find(is_it) {
            Some(package) => Ok(self.package(package)),
            None => Err(format!("`{manifest}` has no package")),
        }
    }

    /// A package from a registry or a repository, as the lock file has it.
    fn locked(&self, name: &str) -> Result<Package, String> {
        let ask = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|o| (*o).to_owned()).collect();
            MetadataCommand::new()
                .current_dir(&self.directory)
                .other_options(options)
                .exec()
        };
        let metadata = ask(&["--offline"])
            .or_else(|_| ask(&[]))
            .map_err(|error| reason(&error))?;
        match metadata.packages.iter().find(|p| p.name.as_str() == name) {
            Some(package) => Ok(self.package(package)),
            None => Err(format!("cargo does not list `{name}`")),
        }
    }
}

impl Sources for Workspace {
    fn read(&self, path: &Utf8Path) -> io::Result<Option<String>> {
        match std::fs::read_to_string(self.root().join(path)) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn files(&self, below: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![self.root().join(below)];
        while let Some(folder) = folders.pop() {
            for entry in folder.read_dir_utf8()? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    let aside = entry.file_name().starts_with('.') || entry.file_name() == "target";
                    if !aside && !path.join("Cargo.toml").is_file() {
                        folders.push(path.to_owned());
                    }
                } else if path.extension() == Some("rs") {
                    found.push(self.relative(path));
                }
            }
        }
        found.sort();
        Ok(found)
    }

    fn dependency(&self, of: &Package, name: &str) -> Dependency {
        let Some(package) = self.metadata.packages.iter().find(|p| p.name.as_str() == of.name) else {
            return Dependency::Unknown(Vec::new());
        };
        let normal: Vec<_> = package
            .dependencies
            .iter()
            .filter(|d| d.kind == DependencyKind::Normal)
            .collect();
        let in_rust = |d: &cargo_metadata::Dependency| d.rename.as_ref().unwrap_or(&d.name).replace('-', "_");
        let Some(found) = normal.iter().find(|d| in_rust(d) == name) else {
            return Dependency::Unknown(normal.iter().map(|d| in_rust(d)).collect());
        };
        let package = match &found.path {
            Some(folder) => self.at(folder),
            None => self.locked(&found.name),
        };
        match package {
            Ok(package) => Dependency::Package(package),
            Err(why) => Dependency::Unreadable(why),
        }
    }
}

fn depends_on_polywire(package: &cargo_metadata::Package) -> bool {
    package.dependencies.iter().any(is_polywire)
}

fn is_polywire(dependency: &cargo_metadata::Dependency) -> bool {
    dependency.name == "polywire" && dependency.kind == DependencyKind::Normal
}

/// What cargo itself said.
fn reason(error: &cargo_metadata::Error) -> String {
    match error {
        cargo_metadata::Error::CargoMetadata { stderr } => {
            let line = stderr.trim();
            line.strip_prefix("error: ").unwrap_or(line).to_owned()
        }
        other => other.to_string(),
    }
}
