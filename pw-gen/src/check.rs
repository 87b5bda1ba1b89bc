//! From what stands in the sources to a [`RouteSet`]: everything that one route alone can't show.
//!
//! Every mistake is collected, each with its places and its remedy. A set comes out only if there was none.

mod collisions;
mod fragments;
mod root;
mod state;
mod unreached;
mod visible;

use std::collections::BTreeSet;

use cargo_metadata::camino::Utf8PathBuf;
use quote::{ToTokens, quote};
use syn::Type;

use crate::diagnostic::{Diagnostic, Place};
use crate::name::{Names, constant};
use crate::package::{Package, Target};
use crate::route_set::{Application, Argument, Kind, Route, RouteSet};
use crate::scan::{Invocation, RouteItem, Scan, scan};
use crate::sources::Sources;
use crate::tree::Tree;

/// Checks a package. `None`: it has neither routes nor `polywire::generated!`.
///
/// # Errors
/// Every mistake, in the order of files and lines.
pub(crate) fn check(sources: &dyn Sources, package: &Package) -> Result<Option<RouteSet>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let set = set(sources, package, &mut errors);
    if let (Some(name), true) = (&package.polywire_renamed, set.is_some() || !errors.is_empty()) {
        // Whatever else was found may follow from it.
        return Err(vec![renamed(package, name)]);
    }
    if errors.is_empty() {
        return Ok(set);
    }
    Diagnostic::sort(&mut errors);
    errors.dedup_by(|a, b| a.same(b));
    Err(errors)
}

fn renamed(package: &Package, name: &str) -> Diagnostic {
    let message = format!(
        "`{}` must depend on polywire by its own name, not as `{name}`",
        package.name
    );
    Diagnostic::nowhere(message)
        .note("generated code and the macros name `::polywire`")
        .help(format!(
            "write `polywire = {{ .. }}` for `{name} = {{ package = \"polywire\", .. }}` in its Cargo.toml"
        ))
}

fn set(sources: &dyn Sources, package: &Package, errors: &mut Vec<Diagnostic>) -> Option<RouteSet> {
    let mut crates = Vec::new();
    let mut reached = BTreeSet::new();
    for target in &package.targets {
        let mut scan = scan(sources, &target.root);
        errors.append(&mut scan.errors);
        reached.append(&mut scan.files);
        crates.push(Crate { target, scan });
    }
    let Crate { target, scan } = root::choose(crates, errors)?;
    let invocation = scan.invocations.into_iter().next()?;
    let fragment = invocation.syntax.is_fragment();
    unreached::find(sources, &target.root, reached, fragment, errors);
    visible::types(&scan.routes, fragment, errors);
    state::check(&invocation, &scan.routes, errors);
    let mut routes = Vec::new();
    let mut fingerprints = Vec::new();
    for item in scan.routes {
        visible::check(&item, fragment, errors);
        let route = route(item, &Origin::own(package, target));
        fingerprints.push((route.fingerprint, route.condition.clone(), route.name.clone()));
        routes.push(route);
    }
    fingerprints.sort_by_key(|(fingerprint, ..)| *fingerprint);
    let kind = match fragment {
        true => {
            visible::conditions(&routes, errors);
            Kind::Fragment
        }
        false => {
            let mut fragments = Vec::new();
            for name in invocation.syntax.crates() {
                let place = Place::of(&invocation.file, name.span());
                if let Some((digest, mut theirs)) = fragments::routes(sources, package, name, &place, errors) {
                    state::check_composed(&invocation, &theirs, errors);
                    fragments.push((name.to_string(), digest));
                    routes.append(&mut theirs);
                }
            }
            Kind::Application(application(&invocation, fragments, &scan.aliases))
        }
    };
    collisions::find(&routes, errors);
    sort(&mut routes);
    let mut set = RouteSet {
        package: package.name.clone(),
        folder: target
            .root
            .parent()
            .map_or_else(Utf8PathBuf::new, |p| p.join(pw_syntax::names::MODULE)),
        kind,
        routes,
        tree: Tree::default(),
        options: invocation.syntax.hash(),
        fingerprints,
    };
    if errors.is_empty() {
        name_constants(&mut set.routes);
        let entries: Vec<_> = set
            .routes
            .iter()
            .enumerate()
            .map(|(at, r)| (&*r.method, &*r.segments, at))
            .collect();
        set.tree = Tree::build(&entries);
    }
    Some(set)
}

/// A target, scanned.
struct Crate<'a> {
    target: &'a Target,
    scan: Scan,
}

/// Where a route comes from, as the set it goes to sees it.
struct Origin<'a> {
    package: &'a Package,
    target: &'a Target,
    /// The name by which an application knows the crate, if that is a fragment.
    fragment: Option<String>,
}

impl<'a> Origin<'a> {
    fn own(package: &'a Package, target: &'a Target) -> Self {
        Self {
            package,
            target,
            fragment: None,
        }
    }
}

fn route(item: RouteItem, origin: &Origin<'_>) -> Route {
    let (modules, function) = (&item.modules, &item.function);
    let call = match &origin.fragment {
        Some(name) => {
            let name = proc_macro2::Ident::new(name, proc_macro2::Span::call_site());
            quote!(::#name::#(#modules::)*#function)
        }
        None => quote!(crate::#(#modules::)*#function),
    };
    let mut module_path = origin.target.crate_name.clone();
    for module in modules {
        module_path.push_str("::");
        module_path.push_str(&module.to_string());
    }
    let syntax = &item.syntax;
    let source = &item.place.file().path;
    Route {
        name: syntax.name().to_owned(),
        constant: String::new(),
        method: syntax.method().text().to_owned(),
        pattern: syntax.pattern().text().to_owned(),
        segments: syntax.pattern().segments().to_vec(),
        handler: format!("{module_path}::{function}"),
        call,
        arguments: syntax.arguments().iter().map(argument).collect(),
        body_limit: syntax.body_limit(),
        timeout: syntax.timeout(),
        source: source.strip_prefix(&origin.package.folder).unwrap_or(source).to_owned(),
        fragment: origin.fragment.clone(),
        fingerprint: pw_syntax::fingerprint_in(syntax.hash(), &module_path),
        condition: item.condition,
        place: item.place,
        function_place: item.function_place,
    }
}

fn argument(argument: &pw_syntax::Argument) -> Argument {
    use pw_syntax::ArgumentKind as Kind;
    match argument.kind() {
        Kind::Path(_) => Argument::Head("path"),
        Kind::Query => Argument::Head("query"),
        Kind::Other => Argument::Head("value"),
        Kind::State => Argument::State,
        Kind::Head => Argument::WholeHead,
        Kind::Exchange => Argument::Exchange,
        Kind::Body => Argument::Body,
        Kind::Last => Argument::Last,
    }
}

fn application(invocation: &Invocation, fragments: Vec<(String, u64)>, aliases: &[(String, Type)]) -> Application {
    let tokens = |path: Option<&pw_syntax::RootPath>| path.map(ToTokens::to_token_stream);
    let chain = tokens(invocation.syntax.chain());
    let middlewares = match &chain {
        None => Some(vec!["RequestId".to_owned(), "Recover".to_owned()]),
        Some(path) => {
            let path = path.to_string().replace(' ', "");
            let alias = path.strip_prefix("crate::").unwrap_or(&path);
            aliases.iter().find(|(name, _)| name == alias).map(|(_, ty)| {
                let mut names = Vec::new();
                flatten(ty, aliases, &mut names);
                names
            })
        }
    };
    Application {
        chain,
        middlewares,
        state: tokens(invocation.syntax.state()),
        fragments,
    }
}

/// The names in `(RequestId, (Recover, MyOwn))`, from the outside in.
fn flatten(ty: &Type, aliases: &[(String, Type)], names: &mut Vec<String>) {
    match ty {
        Type::Tuple(pair) => pair.elems.iter().for_each(|inner| flatten(inner, aliases, names)),
        Type::Paren(inner) => flatten(&inner.elem, aliases, names),
        Type::Path(path) => {
            let text = path.to_token_stream().to_string().replace(' ', "");
            if text.ends_with("DefaultChain") {
                names.extend(["RequestId".to_owned(), "Recover".to_owned()]);
            } else if let Some((_, ty)) = aliases.iter().find(|(name, ty)| *name == text && !is_named(ty, &text)) {
                flatten(ty, aliases, names);
            } else {
                names.push(text);
            }
        }
        other => names.push(other.to_token_stream().to_string()),
    }
}

/// Whether a type is a path that ends in this name, as in `type Recover = polywire::Recover;`.
fn is_named(ty: &Type, name: &str) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == name))
}

/// Routes that are in every build first; then those under one condition together; each part by pattern and method.
fn sort(routes: &mut [Route]) {
    routes.sort_by_cached_key(|route| (route.condition.to_string(), route.order(), route.name.clone()));
}

/// Gives each route its constant. Routes of one name exclude each other, and share it.
fn name_constants(routes: &mut [Route]) {
    let mut names = Names::default();
    let mut given = std::collections::HashMap::new();
    for route in routes {
        let name = given
            .entry(route.name.clone())
            .or_insert_with(|| names.take(constant(&route.name)));
        route.constant.clone_from(name);
    }
}
