//! Which crate of a package has the routes: one, with one `polywire::generated!` at its root.

use super::Crate;
use crate::diagnostic::{Diagnostic, Place};

/// The crate that has `polywire::generated!`; `None` if none has, or if that can't be said.
pub(super) fn choose<'a>(crates: Vec<Crate<'a>>, errors: &mut Vec<Diagnostic>) -> Option<Crate<'a>> {
    let mut chosen: Option<Crate<'a>> = None;
    let mut several = false;
    for one in crates {
        twice(&one, errors);
        if one.scan.routes.is_empty() && one.scan.invocations.is_empty() {
            continue;
        }
        match &chosen {
            None => chosen = Some(one),
            Some(other) => {
                several = true;
                errors.push(two_roots(&one, other));
            }
        }
    }
    let chosen = chosen?;
    if let ([], [route, ..]) = (&chosen.scan.invocations[..], &chosen.scan.routes[..]) {
        // Said already: there is one and it is wrong, or the routes may not stay here.
        if chosen.scan.refused_invocation || several {
            return None;
        }
        let message = format!("`{}` has routes and no `polywire::generated!`", chosen.target.root);
        let error = Diagnostic::at(route.place.clone(), message)
            .note("its macro declares the module that this command writes")
            .help(format!("add `polywire::generated!();` to {}", chosen.target.root));
        errors.push(error);
        return None;
    }
    Some(chosen)
}

fn twice(one: &Crate<'_>, errors: &mut Vec<Diagnostic>) {
    let Some((first, others)) = one.scan.invocations.split_first() else {
        return;
    };
    for other in others {
        let error = Diagnostic::at(other.place.clone(), "`polywire::generated!` stands here twice")
            .note_at(first.place.clone(), "the first is here")
            .help("remove one of the two");
        errors.push(error);
    }
}

fn two_roots(one: &Crate<'_>, other: &Crate<'_>) -> Diagnostic {
    let (one_root, other_root) = (&one.target.root, &other.target.root);
    let message = format!("routes must be in one crate: `{one_root}` has some, and so has `{other_root}`");
    Diagnostic::at(first(one), message)
        .note_at(first(other), format!("`{other_root}`"))
        .help(match other.target.is_library {
            true => format!(
                "move all of them to the library, and let {one_root} run it: `App::new({}::generated::Routes::new()).run()`",
                other.target.crate_name
            ),
            false => "move all of them to one of the two, or to a library of this package".to_owned(),
        })
}

/// What shows that a crate has routes.
fn first(one: &Crate<'_>) -> Place {
    let route = one.scan.routes.first().map(|route| &route.place);
    let invocation = one.scan.invocations.first().map(|invocation| &invocation.place);
    route.or(invocation).expect("a crate is chosen for what it has").clone()
}
