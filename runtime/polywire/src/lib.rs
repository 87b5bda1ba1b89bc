//! Polywire: a handler is written once, and the HTTP transport under it is chosen when the binary is built.
//!
//! This is the one crate applications depend on: [`prelude`] for handlers, [`App`] to run them, [`testing`] to test them
//! without a socket. What is behind it: the contracts in `pw-core`, the attribute in `pw-macros`, and one transport per
//! feature. Generated code uses `codegen`, which is for nobody else.
//!
//! | feature | what it adds |
//! |---|---|
//! | `transport-hyper` | HTTP/1.1 and HTTP/2 on hyper and a multi-threaded tokio |
//! | `transport-fast` | HTTP/1.1 on a thread per core, with pooled buffers: no allocation per request |
//! | `compression` | `polywire::compression`: a middleware that compresses answers with `br` and `gzip` |
//! | `compression-zstd` | the same, and `zstd`; it needs a C compiler |
//! | `files` | `polywire::files`: a folder's files, or those embedded in the program, as a route or as a middleware |
//! | `streams` | `polywire::streams`: server-sent events, NDJSON and JSON arrays out of one stream of values, and their fan-out |
//! | `ws` | `polywire::ws`: WebSocket, with messages of the application's own types |
//!
//! A library whose routes others compose needs no feature; an application needs one transport. Where both are built in, `App` and
//! [`testing`] run fast, so `--features transport-fast` on top of a default of hyper is enough; `--no-default-features` leaves hyper
//! out of the build as well. Both answer the same, byte for byte. What differs for handlers is said of [`App`].

mod app;
mod arguments;
mod guards;
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
    Body, BoxError, Content, ContentSource, ContentStream, Duplex, Exchange, FieldValue, Fields, FilePart, FromBody,
    FromHead, FromParam, FromParams, Html, Json, Limits, Middleware, Next, OpenFile, Path, Problem, Provide, Query,
    Recover, Redirect, Reply, RequestHead, RequestId, Respond, State, Stopping, Streamed, Timeouts, Upgrade, Upgraded,
    Version, problem, route::Route,
};
pub use pw_macros::{PathParams, generated, route};

#[cfg(feature = "compression")]
pub use pw_compression as compression;
#[cfg(feature = "files")]
pub use pw_files as files;
#[cfg(feature = "streams")]
pub use pw_streams as streams;
#[cfg(feature = "ws")]
pub use pw_ws as ws;

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

    /// What the binder for fast names.
    #[cfg(feature = "transport-fast")]
    pub mod fast {
        pub use pw_fast::{Exchange, Head, Service};
    }
}
