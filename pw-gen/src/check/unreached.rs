//! Routes in files that no `mod` reaches: the compiler does not see them, so nothing but this command can miss them.

use std::collections::BTreeSet;
use std::rc::Rc;

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostic::{Diagnostic, Place, SourceFile};
use crate::scan::scan_module;
use crate::sources::Sources;

/// Refuses every file with a route, below the folder of a crate's root, that is in no crate of the package. `reached` are
/// the files that are.
pub(super) fn find(
    sources: &dyn Sources,
    root: &Utf8Path,
    mut reached: BTreeSet<Utf8PathBuf>,
    fragment: bool,
    errors: &mut Vec<Diagnostic>,
) {
    let folder = root.parent().unwrap_or(Utf8Path::new(""));
    let mut files = match sources.files(folder) {
        Ok(files) => files,
        Err(error) => return errors.push(Diagnostic::nowhere(format!("`{folder}` can't be read: {error}"))),
    };
    files.retain(|file| file.strip_prefix(folder).is_ok_and(may_be_a_module));
    // A module before those below it: it may declare them, and then lacks no more than its own `mod`.
    files.sort_by_key(|file| (depth(file), file.clone()));
    for file in files {
        if reached.contains(&file) {
            continue;
        }
        let mut scan = scan_module(sources, &file);
        reached.append(&mut scan.files);
        let place = match scan.routes.into_iter().next() {
            Some(route) => Some(route.place),
            None if scan.errors.is_empty() => None,
            None => textual(sources, &file),
        };
        if let Some(place) = place {
            let message = format!("this route is in no module: no `mod` reaches `{file}`");
            let error = Diagnostic::at(place, message).help(remedy(sources, root, &file, fragment));
            errors.push(error);
        }
    }
}

/// What is not: generated code, the roots of other crates, what tests and examples read.
fn may_be_a_module(file: &Utf8Path) -> bool {
    let mut parts = file.components().map(|part| part.as_str());
    let first = parts.next().unwrap_or_default();
    let aside = ["bin", pw_syntax::names::MODULE, "main.rs", "lib.rs", "build.rs"];
    let elsewhere = |part| matches!(part, "tests" | "examples" | "benches");
    !aside.contains(&first) && !elsewhere(first) && !parts.any(elsewhere)
}

fn depth(file: &Utf8Path) -> usize {
    file.components().count() - usize::from(file.file_name() == Some("mod.rs"))
}

/// The first line that looks like a route, in a file that can't be read any better.
fn textual(sources: &dyn Sources, file: &Utf8Path) -> Option<Place> {
    let text = sources.read(file).ok().flatten()?;
    let is_route = |line: &str| {
        let line = line.trim_start();
        line.starts_with("#[route(") || line.starts_with("#[polywire::route(")
    };
    let line = text.lines().position(is_route)?;
    let path = file.to_owned();
    Some(Place::of_line(&Rc::new(SourceFile { path, text }), line + 1))
}

/// Which `mod` to write, and where.
fn remedy(sources: &dyn Sources, root: &Utf8Path, file: &Utf8Path, fragment: bool) -> String {
    let folder = file.parent().unwrap_or(Utf8Path::new(""));
    let (folder, name) = match file.file_name() {
        Some("mod.rs") => (folder.parent().unwrap_or(Utf8Path::new("")), folder.file_name()),
        _ => (folder, file.file_stem()),
    };
    let name = name.unwrap_or_default();
    let top = Some(folder) == root.parent();
    let visibility = match (fragment, top) {
        (true, _) => "pub ",
        (false, false) => "pub(crate) ",
        (false, true) => "",
    };
    let declaring = match top {
        true => root.to_owned(),
        false => {
            let nested = folder.join("mod.rs");
            match sources.read(&nested) {
                Ok(Some(_)) => nested,
                _ => folder.with_extension("rs"),
            }
        }
    };
    format!("write `{visibility}mod {name};` in {declaring}, or remove the file")
}
