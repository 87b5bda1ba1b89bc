//! The one parser of a Polywire route, shared by the macro and the generator: what the one accepts, the other does too.
//!
//! A route comes in as tokens, from a proc macro or out of a [`syn::File`]: [`RawRoute`] is those tokens cut into pieces,
//! [`RawRoute::check`] looks at every piece, collects every error, and gives the [`Route`], whose private fields prove
//! that the checks have run. This crate knows neither files nor what is made of a route: the macro (`pw-macros`) and the
//! generator (`pw-gen`) do. The grammar of patterns is in [`Pattern`], that of options in `options.rs`, what an argument is
//! known by in [`ArgumentKind`].

mod argument;
mod arguments;
mod attribute;
mod errors;
mod fingerprint;
mod function;
mod generated_args;
mod method;
pub mod names;
mod options;
mod path_params;
mod pattern;
mod route;
mod segment;
mod signature;

pub use argument::{Argument, ArgumentKind, PathShape};
pub use errors::{Message, nearest};
pub use fingerprint::{Fingerprint, fingerprint_in};
pub use function::Function;
pub use generated_args::{GeneratedArgs, RootPath};
pub use method::{Method, REGISTERED};
pub use path_params::{Param, PathParams};
pub use pattern::{MAX_PARAMS, Pattern};
pub use route::{RawRoute, Route, parse};
pub use segment::Segment;
