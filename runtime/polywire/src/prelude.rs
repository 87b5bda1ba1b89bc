//! What a file of handlers imports: `use polywire::prelude::*;`. Nothing here that a handler rarely needs.

pub use std::process::ExitCode;

pub use crate::{
    App, Body, ContentStream, Exchange, FieldValue, FromBody, FromHead, FromParam, HeaderName, Html, Json, Middleware,
    Next, Path, Problem, Provide, Query, Redirect, Reply, RequestHead, Respond, State, StatusCode, Streamed, Upgrade,
    header,
};
pub use pw_macros::{PathParams, route};
