//! Whether handlers borrow a state that the application has.

use crate::diagnostic::{Diagnostic, Place};
use crate::route_set::{Argument, Route};
use crate::scan::{Invocation, RouteItem};

/// Refuses handlers that take `State` where `polywire::generated!` names none. The first is shown: one `state:` mends all.
pub(super) fn check(invocation: &Invocation, routes: &[RouteItem], errors: &mut Vec<Diagnostic>) {
    if invocation.syntax.is_fragment() || invocation.syntax.state().is_some() {
        return;
    }
    for item in routes {
        for argument in item.syntax.arguments() {
            let Some(state) = argument.state() else { continue };
            if matches!(state, syn::Type::Tuple(unit) if unit.elems.is_empty()) {
                continue;
            }
            let place = Place::of(item.place.source(), argument.span());
            let error = Diagnostic::at(place, message(item.syntax.name()))
                .note_at(invocation.place.clone(), NOTE)
                .help(remedy(state));
            return errors.push(error);
        }
    }
}

/// The same of a fragment's handlers.
pub(super) fn check_composed(invocation: &Invocation, routes: &[Route], errors: &mut Vec<Diagnostic>) {
    if invocation.syntax.state().is_some() {
        return;
    }
    if let Some(route) = routes.iter().find(|route| route.arguments.contains(&Argument::State)) {
        let error = Diagnostic::at(route.function_place.clone(), message(&route.name))
            .note_at(invocation.place.clone(), NOTE)
            .help(
                "write `state: AppState` there, a type of the crate root that has what the fragment's handlers borrow",
            );
        errors.push(error);
    }
}

fn message(route: &str) -> String {
    format!("route `{route}` takes a `State`, and `polywire::generated!` names none")
}

const NOTE: &str = "the application's state is named here";

/// A handler may borrow a part of the state, or name it by another path: that its type is the state is a guess.
fn remedy(state: &syn::Type) -> String {
    let name = match state {
        syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    };
    let name = name.unwrap_or_else(|| "AppState".to_owned());
    format!("write `state: {name}` there, a type of the crate root that is or has what handlers borrow")
}
