//! The generator from sources in memory to files or messages.
//!
//! A source tree is one text, cut at lines `//- path`. `src/main.rs` and `src/lib.rs` are the package `app`; `NAME/src/lib.rs` is a
//! package of that name, which `app` depends on.

mod answers;
mod files;
mod layouts;
mod mistakes;

use std::collections::BTreeMap;
use std::io;

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};

use crate::check::check;
use crate::emit::emit;
use crate::package::{Dependency, Package, Target};
use crate::route_set::RouteSet;
use crate::sources::Sources;

pub(crate) struct SourceTree(BTreeMap<Utf8PathBuf, String>);

impl SourceTree {
    pub(crate) fn new(text: &str) -> Self {
        let mut files = BTreeMap::new();
        let mut path = None;
        for line in text.trim_start().lines() {
            match line.trim_start().strip_prefix("//- ") {
                Some(name) => {
                    files.insert(Utf8PathBuf::from(name), String::new());
                    path = Some(Utf8PathBuf::from(name));
                }
                None => {
                    let path = path.clone().expect("a tree begins with `//- path`");
                    let file: &mut String = files.entry(path).or_default();
                    file.push_str(line);
                    file.push('\n');
                }
            }
        }
        Self(files)
    }

    fn package(&self, name: &str, folder: &str) -> Package {
        let folder = Utf8PathBuf::from(folder);
        let mut targets = Vec::new();
        for (file, is_library) in [("src/lib.rs", true), ("src/main.rs", false)] {
            let root = folder.join(file);
            if self.0.contains_key(&root) {
                targets.push(Target {
                    crate_name: name.to_owned(),
                    root,
                    is_library,
                });
            }
        }
        Package {
            name: name.to_owned(),
            folder,
            targets,
            polywire_renamed: None,
        }
    }

    /// What the check of `app` says.
    pub(crate) fn check(&self) -> Result<Option<RouteSet>, String> {
        check(self, &self.package("app", "")).map_err(|errors| {
            let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
            errors.join("\n")
        })
    }

    /// The routes of `app`.
    pub(crate) fn routes(&self) -> RouteSet {
        let set = self.check().unwrap_or_else(|errors| panic!("{errors}"));
        set.expect("it has routes")
    }

    /// A generated file of `app`.
    pub(crate) fn file(&self, name: &str) -> String {
        emit(&self.routes()).remove(name).expect("there is such a file")
    }
}

impl Sources for SourceTree {
    fn read(&self, path: &Utf8Path) -> io::Result<Option<String>> {
        Ok(self.0.get(path).cloned())
    }

    fn files(&self, below: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>> {
        let files = self.0.keys().filter(|path| path.starts_with(below));
        Ok(files.cloned().collect())
    }

    fn dependency(&self, _of: &Package, name: &str) -> Dependency {
        let package = self.package(name, name);
        match package.targets.is_empty() {
            false => Dependency::Package(package),
            true => {
                let names = self
                    .0
                    .keys()
                    .filter_map(|path| path.as_str().strip_suffix("/src/lib.rs"));
                Dependency::Unknown(names.map(str::to_owned).collect())
            }
        }
    }
}
