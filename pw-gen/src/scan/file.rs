//! Which file a `mod` declaration means: rustc's rules, and nothing else.
//!
//! <https://doc.rust-lang.org/reference/items/modules.html#module-source-filenames>, as `rustc_expand::module` has it.

use cargo_metadata::camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta};

use crate::condition::Predicate;

/// Where the children of a module are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    path: Utf8PathBuf,
    /// The module's own name where its file is `name.rs`: children stand in a folder of that name.
    relative: Option<String>,
}

/// A file that a declaration may mean.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The file.
    pub(crate) file: Utf8PathBuf,
    /// Where its children are.
    pub(crate) directory: Directory,
    /// The `cfg_attr` that chooses it.
    pub(crate) when: Vec<Predicate>,
}

impl Directory {
    /// That of a crate root.
    pub(crate) fn of_root(file: &Utf8Path) -> Self {
        Self::beside(file, None)
    }

    /// That of a module in a file of its own, by the file's name.
    pub(crate) fn of_module(file: &Utf8Path) -> Self {
        let name = file.file_stem().filter(|name| *name != "mod");
        Self::beside(file, name.map(str::to_owned))
    }

    /// That of an inline module.
    pub(crate) fn inline(&self, name: &Ident, path: Option<&str>) -> Self {
        let mut inner = self.path.clone();
        match path {
            Some(path) => inner = join(&inner, path),
            None => {
                inner.extend(&self.relative);
                inner.push(plain(name));
            }
        }
        Self {
            path: inner,
            relative: None,
        }
    }

    /// The files `mod name;` may mean, the first one that exists counting: `name.rs`, `name/mod.rs`.
    pub(crate) fn outline(&self, name: &Ident) -> [Candidate; 2] {
        let mut folder = self.path.clone();
        folder.extend(&self.relative);
        let name = plain(name);
        let flat = folder.join(format!("{name}.rs"));
        let nested = folder.join(&name).join("mod.rs");
        [
            Candidate {
                directory: Self::beside(&flat, Some(name)),
                file: flat,
                when: Vec::new(),
            },
            Candidate {
                directory: Self::beside(&nested, None),
                file: nested,
                when: Vec::new(),
            },
        ]
    }

    /// The file that `#[path = ".."] mod name;` means.
    pub(crate) fn at(&self, path: &str) -> Candidate {
        let file = join(&self.path, path);
        Candidate {
            directory: Self::beside(&file, None),
            file,
            when: Vec::new(),
        }
    }

    fn beside(file: &Utf8Path, relative: Option<String>) -> Self {
        Self {
            path: file.parent().unwrap_or(Utf8Path::new("")).to_owned(),
            relative,
        }
    }
}

/// The value of `#[path = ".."]`.
pub(crate) fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|a| path_value(&a.meta))
}

/// The `#[cfg_attr(predicate, path = "..")]` among the attributes.
pub(crate) fn conditional_paths(attributes: &[Attribute]) -> Vec<(Predicate, String)> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|a| a.path().is_ident("cfg_attr")) {
        let parsed = attribute.parse_args_with(|input: syn::parse::ParseStream<'_>| {
            let predicate: Predicate = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let metas = syn::punctuated::Punctuated::<Meta, syn::Token![,]>::parse_terminated(input)?;
            Ok((predicate, metas))
        });
        if let Ok((predicate, metas)) = parsed {
            found.extend(metas.iter().filter_map(path_value).map(|p| (predicate.clone(), p)));
        }
    }
    found
}

fn path_value(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// A name without its `r#`.
fn plain(name: &Ident) -> String {
    use syn::ext::IdentExt;
    name.unraw().to_string()
}

/// Joins, and takes out `.` and `..`, so that one file has one path.
pub(crate) fn join(folder: &Utf8Path, path: &str) -> Utf8PathBuf {
    let mut joined = Utf8PathBuf::new();
    for part in folder.join(path.replace('\\', "/")).components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir if joined.file_name().is_some() => {
                joined.pop();
            }
            other => joined.push(other),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Ident {
        Ident::new(text, proc_macro2::Span::call_site())
    }

    fn files(directory: &Directory, module: &str) -> Vec<String> {
        directory
            .outline(&name(module))
            .iter()
            .map(|c| c.file.to_string())
            .collect()
    }

    #[test]
    fn children_of_roots_mod_rs_and_named_files() {
        let root = Directory::of_root("src/main.rs".into());
        assert_eq!(files(&root, "a"), ["src/a.rs", "src/a/mod.rs"]);
        let [flat, nested] = root.outline(&name("a"));
        assert_eq!(files(&flat.directory, "b"), ["src/a/b.rs", "src/a/b/mod.rs"]);
        assert_eq!(files(&nested.directory, "b"), ["src/a/b.rs", "src/a/b/mod.rs"]);
    }

    #[test]
    fn inline_modules_are_folders() {
        let root = Directory::of_root("src/main.rs".into());
        assert_eq!(
            files(&root.inline(&name("x"), None), "y"),
            ["src/x/y.rs", "src/x/y/mod.rs"]
        );
        assert_eq!(
            files(&root.inline(&name("x"), Some("z")), "y"),
            ["src/z/y.rs", "src/z/y/mod.rs"]
        );
        let [flat, _] = root.outline(&name("a"));
        let inner = flat.directory.inline(&name("x"), None);
        assert_eq!(files(&inner, "y"), ["src/a/x/y.rs", "src/a/x/y/mod.rs"]);
        assert_eq!(inner.at("../p.rs").file, "src/a/p.rs");
    }

    #[test]
    fn path_attributes_are_relative_to_the_file() {
        let root = Directory::of_root("src/main.rs".into());
        let [flat, _] = root.outline(&name("a"));
        let far = flat.directory.at("far/b.rs");
        assert_eq!(far.file, "src/far/b.rs");
        assert_eq!(files(&far.directory, "c"), ["src/far/c.rs", "src/far/c/mod.rs"]);
    }
}
