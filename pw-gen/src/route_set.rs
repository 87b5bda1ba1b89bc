//! The routes of one application or fragment, checked and numbered: what emitters, `routes` and `explain` work from.
//!
//! Only `check` makes these, so whoever holds one knows that the checks have run.

use cargo_metadata::camino::Utf8PathBuf;
use proc_macro2::TokenStream;
use pw_syntax::{Fingerprint, Segment};

use crate::condition::Condition;
use crate::diagnostic::Place;
use crate::tree::Tree;

/// A crate that has `polywire::generated!`.
#[derive(Debug)]
pub(crate) struct RouteSet {
    pub(crate) package: String,
    /// The folder that generated files go to.
    pub(crate) folder: Utf8PathBuf,
    pub(crate) kind: Kind,
    pub(crate) routes: Vec<Route>,
    pub(crate) tree: Tree,
    /// What stands for all that `polywire::generated!` says.
    pub(crate) options: u64,
    /// What the crate's own macros look up, sorted: a fingerprint, when it is there, its route's name.
    pub(crate) fingerprints: Vec<(u64, Condition, String)>,
}

/// What a crate is to others.
#[derive(Debug)]
pub(crate) enum Kind {
    /// It runs.
    Application(Application),
    /// Others compose it.
    Fragment,
}

/// What `polywire::generated!` says of an application.
#[derive(Debug, Default)]
pub(crate) struct Application {
    /// The type of its chain, as seen from the crate root.
    pub(crate) chain: Option<TokenStream>,
    /// The names of the chain's middlewares from the outside in, where the crate root tells them.
    pub(crate) middlewares: Option<Vec<String>>,
    /// The type of its state, as seen from the crate root.
    pub(crate) state: Option<TokenStream>,
    /// The fragments it composes: a crate's name and the digest of its routes.
    pub(crate) fragments: Vec<(String, u64)>,
}

/// One route of a set.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) name: String,
    /// The name of its constant in generated code, unique in the set but for routes that exclude each other.
    pub(crate) constant: String,
    pub(crate) method: String,
    pub(crate) pattern: String,
    pub(crate) segments: Vec<Segment>,
    /// The function's path with the crate's name, as `helloworld::users::show`.
    pub(crate) handler: String,
    /// How generated code calls it: `crate::users::show`, `::accounts::users::show`.
    pub(crate) call: TokenStream,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) body_limit: Option<u64>,
    pub(crate) timeout: Option<std::time::Duration>,
    pub(crate) condition: Condition,
    /// The crate it is from, if that is a fragment.
    pub(crate) fragment: Option<String>,
    /// Its source, relative to its package.
    pub(crate) source: Utf8PathBuf,
    pub(crate) place: Place,
    pub(crate) function_place: Place,
    pub(crate) fingerprint: u64,
}

/// How generated code makes an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// Of the head, by its type. What a variable that holds it is called.
    Head(&'static str),
    /// The head itself.
    WholeHead,
    /// The exchange itself.
    Exchange,
    /// Of the state.
    State,
    /// Of the body.
    Body,
    /// Of the body, or of the head: its type tells.
    Last,
}

impl RouteSet {
    /// The routes, in the order of the generated table.
    pub(crate) fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// The folder of the generated files.
    pub(crate) fn folder(&self) -> &Utf8PathBuf {
        &self.folder
    }

    /// The crates it composes, by the names they have in it.
    pub(crate) fn fragments(&self) -> impl Iterator<Item = &str> {
        let fragments: &[(String, u64)] = match &self.kind {
            Kind::Application(application) => &application.fragments,
            Kind::Fragment => &[],
        };
        fragments.iter().map(|(name, _)| name.as_str())
    }

    /// A number that changes with anything an application's generated code takes from this crate.
    pub(crate) fn digest(&self) -> u64 {
        let routes = self.routes.iter().fold(Fingerprint::default(), |hash, route| {
            let hash = hash.text(&route.name).text(&route.condition.to_string());
            hash.number(route.fingerprint)
        });
        routes.value()
    }
}

impl Route {
    /// The names of its parameters, left to right.
    pub(crate) fn params(&self) -> Vec<&str> {
        let names = self.segments.iter().filter_map(|segment| match segment {
            Segment::Param(name) | Segment::Rest(name) => Some(name.as_str()),
            Segment::Literal(_) => None,
        });
        names.collect()
    }

    /// What routes are sorted by: segment by segment, literals before parameters before wildcards, then the method.
    pub(crate) fn order(&self) -> (Vec<(u8, String)>, String) {
        let segment = |segment: &Segment| match segment {
            Segment::Literal(text) => (0, text.clone()),
            Segment::Param(name) => (1, name.clone()),
            Segment::Rest(name) => (2, name.clone()),
        };
        (self.segments.iter().map(segment).collect(), self.method.clone())
    }
}
