//! Whether generated code can name a handler and see its types: that of its own crate, and that of applications that compose a fragment.

use std::collections::HashSet;

use crate::diagnostic::Diagnostic;
use crate::route_set::Route;
use crate::scan::{Reach, RouteItem};

/// Refuses a handler that is out of reach, with the place of what hides it.
pub(super) fn check(item: &RouteItem, fragment: bool, errors: &mut Vec<Diagnostic>) {
    let function = &item.function;
    let audience = Audience::of(fragment);
    let seen = |reach| audience.sees(reach);
    let (who, remedy) = (audience.who(), audience.visibility());
    if !seen(item.reach) {
        let message = format!("generated code can't see the handler `{function}`: {who} must be able to name it");
        let error =
            Diagnostic::at(item.function_place.clone(), message).help(format!("write `{remedy} async fn {function}`"));
        errors.push(error);
    }
    for ((reach, place), module) in item.module_reach.iter().zip(&item.modules) {
        if !seen(*reach) {
            let message =
                format!("generated code can't see the handler `{function}`: its module `{module}` is private");
            let error = Diagnostic::at(item.function_place.clone(), message)
                .note_at(place.clone(), format!("{who} must be able to name this module"))
                .help(format!("write `{remedy} mod {module}`"));
            errors.push(error);
        }
    }
}

/// Refuses types that are out of reach, each once, where the first handler names it.
pub(super) fn types(items: &[RouteItem], fragment: bool, errors: &mut Vec<Diagnostic>) {
    let audience = Audience::of(fragment);
    let mut said = HashSet::new();
    for item in items {
        for ty in item.types.iter().filter(|ty| !audience.sees(ty.reach)) {
            if !said.insert(ty.declared.to_string()) {
                continue;
            }
            let (function, keyword, name) = (&item.function, ty.keyword, &ty.name);
            let message =
                format!("generated code can't see the type `{name}`, which the handler `{function}` takes or returns");
            let error = Diagnostic::at(ty.named.clone(), message)
                .note_at(
                    ty.declared.clone(),
                    format!("{} must be able to see it", audience.who()),
                )
                .help(format!("write `{} {keyword} {name}`", audience.visibility()));
            errors.push(error);
        }
    }
}

/// Refuses conditions that an application would evaluate in its own stead.
pub(super) fn conditions(routes: &[Route], errors: &mut Vec<Diagnostic>) {
    for route in routes.iter().filter(|route| !route.condition.is_of_target()) {
        let message = format!(
            "route `{}` of a fragment must not depend on `cfg({})`",
            route.name, route.condition
        );
        let error = Diagnostic::at(route.place.clone(), message)
            .note("the application's generated code would ask for the application's features, not for this crate's")
            .help(
                "move it to a crate of its own that applications compose or leave out; `unix`, `windows` and `target_..` \
                 are the same in every crate, and may stay",
            );
        errors.push(error);
    }
}

/// Who calls handlers.
#[derive(Clone, Copy)]
enum Audience {
    /// Generated code of the same crate.
    Own,
    /// That of applications.
    Others,
}

impl Audience {
    fn of(fragment: bool) -> Self {
        match fragment {
            true => Self::Others,
            false => Self::Own,
        }
    }

    fn sees(self, reach: Reach) -> bool {
        match self {
            Self::Own => reach.is_at_root(),
            Self::Others => reach.is_everywhere(),
        }
    }

    fn who(self) -> &'static str {
        match self {
            Self::Own => "`crate::generated`",
            Self::Others => "the applications that compose this crate",
        }
    }

    /// What an item is declared with to be seen.
    fn visibility(self) -> &'static str {
        match self {
            Self::Own => "pub(crate)",
            Self::Others => "pub",
        }
    }
}
