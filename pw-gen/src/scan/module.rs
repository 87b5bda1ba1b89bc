//! A `mod`: inline, or in the file or files that it means.

use std::rc::Rc;

use syn::ItemMod;

use super::file::{self, Candidate};
use super::{Module, Reach, Scanner};
use crate::condition::Condition;
use crate::diagnostic::{Diagnostic, Place, SourceFile};

impl Scanner<'_> {
    /// A module, with all that stands in it.
    pub(super) fn module(&mut self, item: &ItemMod, parent: &Module) {
        let Some(condition) = self.condition(parent, &item.attrs) else {
            return;
        };
        let mut module = parent.clone();
        module.condition = condition;
        module
            .reach
            .push((Reach::of(&item.vis, &parent.path), parent.place(item.ident.span())));
        module.path.push(item.ident.clone());
        let path = file::path_attribute(&item.attrs);
        if let Some((_, items)) = &item.content {
            module.directory = parent.directory.inline(&item.ident, path.as_deref());
            return self.items(items, &module);
        }
        for (candidate, file) in self.files(item, path.as_deref(), parent) {
            let mut module = module.clone();
            for predicate in candidate.when {
                module.condition = module.condition.with(predicate);
            }
            module.directory = candidate.directory;
            module.file = file;
            self.file(module);
        }
    }

    /// The files of `mod name;`: one, unless `cfg_attr` chooses among several.
    fn files(&mut self, item: &ItemMod, path: Option<&str>, parent: &Module) -> Vec<(Candidate, Rc<SourceFile>)> {
        let place = || parent.place(item.ident.span());
        let mut found = Vec::new();
        let mut unless = Vec::new();
        for (predicate, path) in file::conditional_paths(&item.attrs) {
            let mut candidate = parent.directory.at(&path);
            candidate.when.clone_from(&unless);
            candidate.when.push(predicate.clone());
            unless.push(Condition::default().with(predicate).negated());
            self.open(candidate, place(), &mut found);
        }
        let mut candidates = match path {
            Some(path) => vec![parent.directory.at(path)],
            None => parent.directory.outline(&item.ident).into(),
        };
        for candidate in &mut candidates {
            candidate.when.clone_from(&unless);
        }
        let looked = candidates.iter().map(|c| format!("`{}`", c.file)).collect::<Vec<_>>();
        let (before, errors) = (found.len(), self.scan.errors.len());
        for candidate in candidates {
            self.open(candidate, place(), &mut found);
        }
        match found.len() - before {
            0 if unless.is_empty() && self.scan.errors.len() == errors => {
                let message = format!("the file of module `{}` does not exist", item.ident);
                let error = Diagnostic::at(place(), message).help(match looked.as_slice() {
                    [one] => format!("create {one}"),
                    several => format!("create {}", several.join(" or ")),
                });
                self.scan.errors.push(error);
            }
            2 => {
                let message = format!("module `{}` has two files", item.ident);
                let help = format!("remove one of {}", looked.join(" and "));
                self.scan.errors.push(Diagnostic::at(place(), message).help(help));
                found.truncate(before + 1);
            }
            _ => {}
        }
        found
    }

    fn open(&mut self, candidate: Candidate, place: Place, found: &mut Vec<(Candidate, Rc<SourceFile>)>) {
        if self.open.contains(&candidate.file) {
            let message = format!("`{}` is its own module", candidate.file);
            return self
                .scan
                .errors
                .push(Diagnostic::at(place, message).help("remove the `mod` or mend its `path`"));
        }
        match self.read(&candidate.file) {
            Ok(Some(file)) => found.push((candidate, file)),
            Ok(None) => {}
            Err(error) => self.scan.errors.push(error),
        }
    }
}
