//! The command line: what `cargo xtask generate`, `routes` and `explain` do, and what they say.

mod arguments;

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use pw_syntax::names;

use self::arguments::{Action, Arguments, HELP};
use crate::check::check;
use crate::diagnostic::Diagnostic;
use crate::emit::emit;
use crate::explain::explain;
use crate::listing;
use crate::output::Output;
use crate::package::{Dependency, Package};
use crate::route_set::RouteSet;
use crate::sources::Sources;
use crate::workspace::Workspace;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// As asked.
    Done,
    /// Something is wrong in the sources, or with `--check` in the generated code.
    Failed,
    /// The command line is wrong.
    Usage,
}

impl Status {
    /// The process's exit code: 0, 1, 2.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
        }
    }
}

/// Runs a command in a directory; `arguments` are those after the program's name. What it found goes to `out`, what is
/// wrong to `err`.
///
/// # Errors
/// `out` or `err` can't be written to.
pub fn run(
    directory: &Path,
    arguments: &[String],
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> std::io::Result<Status> {
    let arguments = match Arguments::parse(arguments) {
        Ok(arguments) => arguments,
        Err(message) => {
            writeln!(err, "{message}")?;
            return Ok(Status::Usage);
        }
    };
    if let Action::Help = arguments.action {
        write!(out, "{HELP}")?;
        return Ok(Status::Done);
    }
    let started = Instant::now();
    let Some(directory) = Utf8Path::from_path(directory) else {
        write!(
            err,
            "{}",
            Diagnostic::nowhere("the current directory's path is not UTF-8")
        )?;
        return Ok(Status::Failed);
    };
    let found = Workspace::load(directory).and_then(|workspace| {
        let selection = select(&workspace, &arguments.packages)?;
        Ok((workspace, selection))
    });
    let (workspace, selection) = match found {
        Ok(found) => found,
        Err(error) => {
            write!(err, "{error}")?;
            return Ok(Status::Failed);
        }
    };
    let checked = check_all(&workspace, selection, &arguments.action);
    let mut session = Session {
        workspace,
        started,
        out,
        err,
        status: Status::Done,
    };
    session.run(checked, &arguments.action)?;
    Ok(session.status)
}

/// What a command is about.
enum Selection {
    /// These.
    Named(Vec<Package>),
    /// The package around the current directory if it has routes, else all.
    Found(Option<Package>, Vec<Package>),
}

fn select(workspace: &Workspace, names: &[String]) -> Result<Selection, Diagnostic> {
    if names.is_empty() {
        let (here, all) = workspace.candidates();
        return Ok(Selection::Found(here, all));
    }
    let named: Result<Vec<_>, _> = names.iter().map(|name| workspace.member(name)).collect();
    named.map(Selection::Named)
}

type Checked = (Package, Result<RouteSet, Vec<Diagnostic>>);

/// Checks what was selected. Packages without routes are left out, unless they were named. With the package here come the
/// fragments that it composes, if they are of this workspace and something is to be written.
fn check_all(workspace: &Workspace, selection: Selection, action: &Action) -> Vec<Checked> {
    let one = |package: Package| match check(workspace, &package) {
        Ok(None) => None,
        Ok(Some(set)) => Some((package, Ok(set))),
        Err(errors) => Some((package, Err(errors))),
    };
    match selection {
        Selection::Named(packages) => packages
            .into_iter()
            .map(|package| one(package.clone()).unwrap_or_else(|| (package.clone(), Err(vec![no_routes(&package)]))))
            .collect(),
        Selection::Found(here, all) => {
            let Some(here) = here.and_then(one) else {
                return all.into_iter().filter_map(one).collect();
            };
            let mut checked = Vec::new();
            if let (Action::Generate { .. }, (package, Ok(set))) = (action, &here) {
                let fragments = set.fragments().map(|name| workspace.dependency(package, name));
                checked.extend(fragments.filter_map(|fragment| match fragment {
                    Dependency::Package(package) if workspace.member(&package.name).is_ok() => one(package),
                    _ => None,
                }));
            }
            checked.push(here);
            checked
        }
    }
}

struct Session<'a> {
    workspace: Workspace,
    started: Instant,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    status: Status,
}

impl Session<'_> {
    fn run(&mut self, checked: Vec<Checked>, action: &Action) -> std::io::Result<()> {
        let mut sets = Vec::new();
        for (package, result) in checked {
            match result {
                Ok(set) => sets.push((package, set)),
                Err(errors) => {
                    self.fail(&errors)?;
                    let count = match errors.len() {
                        1 => "the error".to_owned(),
                        n => format!("the {n} errors"),
                    };
                    writeln!(
                        self.err,
                        "error: `{}` was left as it is, for {count} above",
                        package.name
                    )?;
                }
            }
        }
        if sets.is_empty() && self.status == Status::Done {
            let error = Diagnostic::nowhere("no package here has routes")
                .help("an application depends on `polywire` and has `polywire::generated!();` at its crate root");
            return self.fail(&[error]);
        }
        match action {
            Action::Generate { check } => {
                for (package, set) in &sets {
                    self.generate(package, set, *check)?;
                }
            }
            Action::Routes { json: true } => {
                let sets: Vec<_> = sets.iter().map(|(_, set)| set).collect();
                write!(self.out, "{}", listing::json(&sets))?;
            }
            Action::Routes { json: false } => {
                for (at, (package, set)) in sets.iter().enumerate() {
                    if sets.len() > 1 {
                        writeln!(self.out, "{}{}", if at == 0 { "" } else { "\n" }, package.name)?;
                    }
                    write!(self.out, "{}", listing::table(set))?;
                }
            }
            Action::Explain { method, path } => {
                for (at, (_, set)) in sets.iter().enumerate() {
                    if at > 0 {
                        writeln!(self.out)?;
                    }
                    write!(self.out, "{}", explain(set, method, path))?;
                }
            }
            Action::Help => {}
        }
        Ok(())
    }

    fn generate(&mut self, package: &Package, set: &RouteSet, check: bool) -> std::io::Result<()> {
        let folder = self.workspace.root().join(set.folder());
        let output = match Output::compare(&folder, emit(set)) {
            Ok(output) => output,
            Err(error) => return self.fail(&[error]),
        };
        let routes = match set.routes().len() {
            1 => "1 route".to_owned(),
            n => format!("{n} routes"),
        };
        let short = within(package, set.folder());
        if check && !output.is_unchanged() {
            write!(self.out, "{}", output.diff(set.folder()))?;
            let message = format!("{} of `{}` is not what its sources say", short, package.name);
            return self.fail(&[Diagnostic::nowhere(message).help(format!("run `{}`", names::COMMAND))]);
        }
        if let Err(error) = output.write() {
            return self.fail(&[error]);
        }
        let took = self.started.elapsed().as_millis();
        writeln!(
            self.out,
            "{}: {routes}, {} in {took} ms",
            package.name,
            output.summary(&short)
        )
    }

    fn fail(&mut self, errors: &[Diagnostic]) -> std::io::Result<()> {
        self.status = Status::Failed;
        for error in errors {
            writeln!(self.err, "{error}")?;
        }
        Ok(())
    }
}

fn no_routes(package: &Package) -> Diagnostic {
    Diagnostic::nowhere(format!("`{}` has no routes", package.name))
        .help("add `polywire::generated!();` at its crate root, and a function with `#[route(GET, \"/\")]`")
}

/// A path within a package, as its own manifest sees it.
fn within(package: &Package, path: &Utf8Path) -> Utf8PathBuf {
    path.strip_prefix(&package.folder).unwrap_or(path).to_owned()
}
