//! Polywire: a handler is written once, and the HTTP transport under it is chosen when the binary is built.
//!
//! This is the one crate applications depend on: [`prelude`] for handlers, [`App`] to run them, [`testing`] to test them
//! without a socket. What is behind it: the contracts in `pw-core`, the attribute in `pw-macros`, and one transport per
//! feature. Generated code uses `codegen`, which is for nobody else.
//!
//! | feature | what it adds |
//! |---|---|
//! | `transport-hyper` | HTTP/1.1 and HTTP/2 on hyper and a multi-threaded tokio |
//!
//! A library whose routes others compose needs no feature; an application needs one transport.

mod app;
mod arguments;
mod listen;
mod log;
pub mod prelude;
pub mod testing;
mod transport;

pub use app::App;
pub use arguments::args;
pub use transport::Application;

pub use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
pub use pw_core::{
    Body, Exchange, FieldValue, Fields, FromBody, FromHead, FromParam, FromParams, Html, Json, Limits, Middleware,
    Next, Path, Problem, Provide, Query, Recover, Redirect, Reply, RequestHead, RequestId, Respond, State, Timeouts,
    Version, problem, route::Route,
};
pub use pw_macros::{PathParams, generated, route};

/// The chain of an application that names none: every request has an id, and a panic or an error becomes a problem
/// document.
pub type DefaultChain = (RequestId, Recover);

/// What generated code and macros name. It changes with them: not for people.
#[doc(hidden)]
pub mod codegen {
    pub use pw_core::codegen::*;
    pub use pw_core::route::{Leaf, Match, Node, Route, Table};
    pub use pw_core::{
        Body, Exchange, FieldValue, FromBody, FromHead, FromParam, FromParams, Middleware, Next, ParamValues, Path,
        Problem, Provide, Query, Reply, RequestHead, Respond, State,
    };

    /// What the binder for hyper names.
    #[cfg(feature = "transport-hyper")]
    pub mod hyper {
        pub use pw_hyper::{Exchange, Head, Service};
    }
}

/// Its input, if this build has the hyper transport. Whether it has is polywire's own feature, not the application's:
/// features unify, and a `cfg` in the application would not see another member's choice.
#[doc(hidden)]
#[cfg(feature = "transport-hyper")]
#[macro_export]
macro_rules! if_hyper {
    ($($item:tt)*) => { $($item)* };
}

/// Nothing: this build is without the hyper transport.
#[doc(hidden)]
#[cfg(not(feature = "transport-hyper"))]
#[macro_export]
macro_rules! if_hyper {
    ($($item:tt)*) => {};
}

/// Nothing: this build is without the fast transport.
#[doc(hidden)]
#[macro_export]
macro_rules! if_fast {
    ($($item:tt)*) => {};
}
