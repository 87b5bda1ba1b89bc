//! The routes that an application takes from other crates: `crates: [accounts, billing]`.

use proc_macro2::Ident;

use super::{Origin, route, sort, visible};
use crate::diagnostic::{Diagnostic, Place};
use crate::package::{Dependency, Package};
use crate::route_set::{Kind, Route, RouteSet};
use crate::scan::scan;
use crate::sources::Sources;
use crate::tree::Tree;

/// The routes of the fragment `name`, and the digest of them that its generated code has.
pub(super) fn routes(
    sources: &dyn Sources,
    application: &Package,
    name: &Ident,
    place: &Place,
    errors: &mut Vec<Diagnostic>,
) -> Option<(u64, Vec<Route>)> {
    let package = match sources.dependency(application, &name.to_string()) {
        Dependency::Package(package) => package,
        Dependency::Unknown(others) => {
            errors.push(unknown(application, name, place, &others));
            return None;
        }
        Dependency::Unreadable(why) => {
            let message = format!("the sources of `{name}` can't be found: {why}");
            errors.push(Diagnostic::at(place.clone(), message));
            return None;
        }
    };
    let Some(target) = package.targets.iter().find(|target| target.is_library) else {
        let message = format!("`{name}` has no library, so it has no routes to compose");
        errors.push(Diagnostic::at(place.clone(), message).help("move its routes to a `src/lib.rs`"));
        return None;
    };
    let mut scan = scan(sources, &target.root);
    errors.append(&mut scan.errors);
    let Some(invocation) = scan.invocations.first() else {
        let message = format!("`{name}` has no routes to compose: it is no fragment");
        let help = format!("add `polywire::generated! {{ fragment }}` to {}", target.root);
        errors.push(Diagnostic::at(place.clone(), message).help(help));
        return None;
    };
    if !invocation.syntax.is_fragment() {
        let message = format!("`{name}` is an application of its own: it is no fragment");
        let error = Diagnostic::at(place.clone(), message)
            .note_at(invocation.place.clone(), "its own routes are generated here")
            .help("write `polywire::generated! { fragment }` there, or leave it out here");
        errors.push(error);
        return None;
    }
    let origin = Origin {
        package: &package,
        target,
        fragment: Some(name.to_string()),
    };
    visible::types(&scan.routes, true, errors);
    let mut routes = Vec::new();
    for item in scan.routes {
        visible::check(&item, true, errors);
        routes.push(route(item, &origin));
    }
    visible::conditions(&routes, errors);
    sort(&mut routes);
    let set = RouteSet {
        package: package.name.clone(),
        folder: Default::default(),
        kind: Kind::Fragment,
        routes,
        tree: Tree::default(),
        options: invocation.syntax.hash(),
        fingerprints: Vec::new(),
    };
    Some((set.digest(), set.routes))
}

fn unknown(application: &Package, name: &Ident, place: &Place, others: &[String]) -> Diagnostic {
    let message = format!("`{}` has no dependency `{name}`", application.name);
    let names: Vec<&str> = others.iter().map(String::as_str).collect();
    let error = Diagnostic::at(place.clone(), message);
    match pw_syntax::nearest(&name.to_string(), &names) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!(
            "add it to the [dependencies] of {}",
            application.folder.join("Cargo.toml")
        )),
    }
}
