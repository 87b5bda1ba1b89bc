//! Polywire's contracts, and every policy that needs no socket.
//!
//! A handler is written once against these traits; a transport implements [`Exchange`], and generated code binds the two.
//! This crate knows no transport, no macro and no generator. Start with [`Exchange`], then [`Middleware`], [`Respond`] and
//! [`FromHead`]; [`route`] is how a path finds its handler.

#[doc(hidden)]
pub mod codegen;
mod content;
mod exchange;
#[doc(hidden)]
pub mod extract;
mod field;
mod file;
mod head;
mod json;
mod limits;
mod middleware;
mod parts;
mod path;
#[doc(hidden)]
pub mod percent;
pub mod problem;
mod query;
#[doc(hidden)]
pub mod recover;
mod reply;
mod request_id;
mod respond;
pub mod route;
mod seldom;
mod state;
mod stopping;
mod trailers;
mod upgrade;
#[doc(hidden)]
pub mod weight;
mod wipe;

pub use content::{BoxError, Content, ContentSource, ContentStream, Streamed};
pub use exchange::{Body, Exchange};
pub use extract::{FromBody, FromHead};
pub use field::{FieldValue, InvalidFieldValue, is_field_byte};
pub use file::{FilePart, OpenFile};
pub use head::{HeadBuffer, RequestHead, Span, Version};
pub use json::Json;
pub use limits::{Limits, Timeouts};
pub use middleware::{Middleware, Next};
pub use parts::Parts;
pub use path::{FromParam, FromParams, ParamValues, Path};
pub use problem::Problem;
pub use query::Query;
pub use recover::Recover;
pub use reply::Reply;
pub use request_id::{MAX_REQUEST_ID, RequestId, X_REQUEST_ID};
pub use respond::{Fields, Html, Redirect, Respond};
pub use route::{Match, Route, Table};
#[doc(hidden)]
pub use seldom::Seldom;
pub use state::{Provide, State};
pub use stopping::Stopping;
pub use trailers::{Trailers, may_trail};
pub use upgrade::{Duplex, Upgradable, Upgrade, UpgradeTask, Upgraded};
