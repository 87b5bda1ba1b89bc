//! Whether generated code can name a handler: that of its own crate, and that of applications that compose a fragment.

use crate::diagnostic::Diagnostic;
use crate::route_set::Route;
use crate::scan::RouteItem;

/// Refuses a handler that is out of reach, with the place of what hides it.
pub(super) fn check(item: &RouteItem, fragment: bool, errors: &mut Vec<Diagnostic>) {
    let function = &item.function;
    let seen = |reach: crate::scan::Reach| match fragment {
        true => reach.is_everywhere(),
        false => reach.is_at_root(),
    };
    let (who, remedy) = match fragment {
        true => ("the applications that compose this crate", "pub"),
        false => ("`crate::generated`", "pub(crate)"),
    };
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
